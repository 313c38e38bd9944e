import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startChild } from '../child.ts'
import { hasFunctions, RUNS_FUNCTIONS } from '../facts.ts'
import { runsProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder } from '../stack.ts'
import type { StrangerWorker } from '../stranger-calls.ts'
import { until } from '../until.ts'

interface RunRecord {
  id: string
  tasks: { status: string; output?: { value?: unknown }; error?: { message: string } }[]
}

/** The functions of a worker on an official SDK as tasks. @param open the worker, as it is when the scenario runs */
export function strangerRuns(open: () => StrangerWorker): void {
  scenario(
    ['stranger/runs'],
    'its functions are tasks of jobs: they hear of the run, and fail with their reason',
    async () => {
      const { prefix, stack } = open()
      await using folder = await createTempFolder()
      const config = join(folder.path, 'config.yaml')
      const jobs = {
        echo: { targets: [`${prefix}::echo`], inputs: { [`${prefix}::echo`]: { day: 'today' } } },
        boom: { targets: [`${prefix}::boom`] },
      }
      await writeFile(config, JSON.stringify({ jobs }))
      await using _runs = startChild(runsProgram(stack.engineUrl, ['--config', config, '--allow-run']))
      await until(() => hasFunctions(stack.worker, RUNS_FUNCTIONS), { what: 'the worker of runs' })
      const run = (job: string) => stack.worker.trigger<RunRecord>({ function_id: 'runs::run_job', payload: { job } })
      const echoed = await run('echo')
      expect(echoed.tasks).toMatchObject([
        {
          status: 'passed',
          output: {
            value: { data: { day: 'today' }, metadata: { runs: { run_id: echoed.id, job: 'echo', needs: {} } } },
          },
        },
      ])
      const failed = await run('boom')
      expect(failed.tasks).toMatchObject([
        { status: 'failed', error: { message: expect.stringContaining('exploded') } },
      ])
      expect(failed.tasks[0]?.error?.message).not.toMatch(/\bat .+:\d+|Traceback/)
    },
  )
}
