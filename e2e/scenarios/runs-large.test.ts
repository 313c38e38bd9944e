import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { runsCommand } from '../programs.ts'
import { postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'

const IDS = Array.from({ length: 20 }, (_, at) => `e2e-large::task-${at}`)
const RESULT_BYTES = 100_000
const JOBS = { large: { targets: IDS, concurrency: 8 } }
const MAX_BYTES = 1_048_576

interface Answer {
  status: string
  exit_code: number
  left_out?: number
  tasks: { status: string; output?: { digest?: string } }[]
}

const cleanup = createCleanup()
let stack: Stack
let config: string

beforeAll(async () => {
  const folder = cleanup.use(await createTempFolder())
  config = join(folder.path, 'runs.yaml')
  await writeFile(config, JSON.stringify({ jobs: JOBS }))
  stack = cleanup.use(
    await startStack({
      workers: ['bridge', 'runs'],
      bridgeFlags: ['--max-result-bytes', String(MAX_BYTES)],
      runsFlags: ['--config', config, '--allow-run'],
    }),
  )
  const { worker } = stack
  for (const id of IDS) worker.registerFunction(id, () => ({ text: 'x'.repeat(RESULT_BYTES) }))
  await until(() => hasFunctions(worker, IDS), { what: 'the tasks to be there' })
  const isListed = async () => JSON.stringify(await ask('tools/list', {})).includes('"runs__run_job"')
  await until(isListed, { what: 'run_job to be listed' })
})
afterAll(() => cleanup.run())

async function ask(method: string, params: Record<string, unknown>) {
  const [message] = await postStateless(stack.mcpUrl, method, params).over
  return message?.result ?? { error: message?.error }
}

function expectWhole(answer: Answer): void {
  expect(answer).toMatchObject({ status: 'passed', exit_code: 0, left_out: expect.any(Number) })
  expect(answer.tasks).toHaveLength(IDS.length)
  for (const { status, output } of answer.tasks)
    expect([status, output?.digest]).toEqual(['passed', expect.any(String)])
  expect(2 * Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MAX_BYTES)
}

scenario(['runs/large'], 'a run with two megabytes of results is answered with what became of each task', async () => {
  const request = { name: 'runs__run_job', arguments: { job: 'large' } }
  const { structuredContent, isError } = await ask('tools/call', request)
  expect(isError).not.toBe(true)
  expectWhole(structuredContent as Answer)
  const read = { function_id: 'runs::list_runs', payload: { kind: 'run', limit: 1 } }
  const { runs } = await stack.worker.trigger<{ runs: { id: string }[] }>(read)
  const shown = await ask('tools/call', { name: 'runs__read_run', arguments: { run_id: runs[0]?.id } })
  expect(shown).toMatchObject({ structuredContent: { record: { id: runs[0]?.id, status: 'passed' } } })
})

scenario(['runs/large'], 'the command prints of it what the tool answers', async () => {
  const args = ['run', 'large', '--config', config, '--json']
  const { code, stdout } = await runToEnd(runsCommand(stack.engineUrl, args))
  expect(code).toBe(0)
  expectWhole(JSON.parse(stdout) as Answer)
})
