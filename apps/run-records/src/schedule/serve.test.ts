import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { expect, test } from 'vitest'
import { JobDeclarations } from '../jobs/declaration.ts'
import type { Options } from '../options.ts'
import type { RunRequest } from '../runner/request.ts'
import { DEFAULTS } from '../testing/run-stage.ts'
import { serveSchedules } from './serve.ts'

const YEARLY = '0 0 0 1 1 *'
const silent = createLog({ name: 'runs', level: 'silent' })

async function startStage(
  jobs: object,
  run: () => Promise<never> = async () => {
    throw new Error('enough')
  },
) {
  const engine = await startMockEngine()
  const worker = registerWorker(engine.url, { name: 'runs', log: silent })
  const listeners = new Set<() => void>()
  const settings = {
    value: { ...DEFAULTS, jobs: JobDeclarations.parse(jobs) } as Options,
    locked: undefined,
    onChange: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const started: RunRequest[] = []
  const start = async (request: RunRequest) => {
    started.push(request)
    return await run()
  }
  serveSchedules(worker, settings, { start }, silent)
  await worker.ready({ timeoutMs: 5000 })
  return {
    engine,
    worker,
    started,
    async change(next: object) {
      settings.value = { ...settings.value, jobs: JobDeclarations.parse(next) }
      for (const listener of listeners) listener()
      await worker.ready({ timeoutMs: 5000 })
    },
    async bound() {
      const { registered_triggers: all } = (await engine.call('engine::registered-triggers::list')) as {
        registered_triggers: { trigger_type: string; config: { expression?: string } }[]
      }
      return all.flatMap(({ trigger_type, config }) => (trigger_type === 'cron' ? [config.expression] : []))
    },
    async [Symbol.asyncDispose]() {
      await worker.shutdown()
      await engine.close()
    },
  }
}

const job = (schedule?: string) => ({ targets: ['shop::count'], ...(schedule && { schedule }) })

test('jobs are bound to the clock as the file says, and anew when it changes', async () => {
  await using stage = await startStage({ a: job(YEARLY), b: job() })
  expect(await stage.bound()).toEqual([YEARLY])
  await stage.change({ a: job('0 0 0 2 2 *'), b: job(YEARLY) })
  expect((await stage.bound()).sort()).toEqual(['0 0 0 1 1 *', '0 0 0 2 2 *'])
  await stage.change({})
  expect(await stage.bound()).toEqual([])
})

test('only the clock of the engine begins a run, and for one time once', async () => {
  await using stage = await startStage({ a: job(YEARLY), b: job() })
  const { worker, started } = stage
  const call = (metadata: unknown) =>
    worker.trigger({ function_id: 'runs::on-schedule', payload: { scheduled_time: 't1' }, metadata })
  await call({ job: 'a' })
  await stage.engine.call('runs::on-schedule', { scheduled_time: 't1' })
  expect(started).toEqual([])
})

test('a job that is due is run, without allow_run, and waits for its lock', async () => {
  await using stage = await startStage({ a: job('* * * * * *') })
  await expect
    .poll(() => stage.started, { timeout: 3000 })
    .toMatchObject([{ job: 'a', via: 'trigger', waitMs: 3_600_000 }])
})

test('a job whose schedule is taken away while it waits for its lock is run no more', async () => {
  await using stage = await startStage({ a: job('* * * * * *') })
  await expect.poll(() => stage.started.length, { timeout: 3000 }).toBeGreaterThan(0)
  const check = () => stage.started[0]?.check?.({} as never)
  expect(check).not.toThrow()
  await stage.change({ a: job() })
  expect(check).toThrow('The job a has no schedule any more')
})

test('a job that is due for another process too is left out while its last scheduled run waits or goes on', async () => {
  await using stage = await startStage({ a: job('* * * * * *') }, () => new Promise(() => {}))
  const { engine, worker, started } = stage
  const dueTimes = new Set<unknown>()
  let answered = 0
  engine.onFrame(({ frame }) => {
    if (frame['function_id'] !== 'runs::on-schedule') return
    if (frame['type'] === 'invokefunction') dueTimes.add((frame['data'] as { scheduled_time: string }).scheduled_time)
    if (frame['type'] === 'invocationresult' && dueTimes.size > 1) answered += 1
  })
  const config = { expression: '* * * * * *' }
  worker.registerTrigger({ type: 'cron', function_id: 'runs::on-schedule', config, metadata: { job: 'a' } })
  await expect.poll(() => answered, { timeout: 4000 }).toBeGreaterThan(0)
  expect(started).toHaveLength(1)
})

test.each(['*/5 * * * *', ' '])('a schedule that cannot be bound is a mistake of the file: %j', (schedule) => {
  expect(JobDeclarations.safeParse({ a: job(schedule) }).error?.issues).toMatchObject([
    { path: ['a', 'schedule'], message: expect.stringContaining('cron expression') },
  ])
})
