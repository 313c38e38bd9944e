import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { STATE_SCOPES, toFault } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { JobDeclarations } from '../jobs/declaration.ts'
import type { Options } from '../options.ts'
import type { RunRecord } from '../record/run-record.ts'
import { ORDERS_JOBS, type OrdersLog, serveOrderJobs } from '../testing/orders.ts'
import { DEFAULTS } from '../testing/run-stage.ts'
import { serveRuns } from '../worker.ts'

const log = createLog({ name: 'test', level: 'silent' })
const CLIENT = { mcp: { call_id: 'c1', via: 'mcp::b1', client: { name: 'agent' }, progress: true } }

let engine: MockEngine
let close: () => Promise<void>
let orders: Worker
let served: OrdersLog
let progress: { progress: number; total: number; message: string }[]
let visible: (ids: string[]) => string[]
let principal: string | undefined
let set: (change: Partial<Options>) => void

beforeEach(async () => {
  engine = await startMockEngine()
  orders = registerWorker(engine.url, { name: 'orders', log })
  const worker = registerWorker(engine.url, { name: 'runs', log })
  served = serveOrderJobs(orders)
  progress = []
  visible = (ids) => ids
  principal = undefined
  orders.registerFunction('mcp::b1::visible', ({ function_ids: ids }: { function_ids: string[] }) => ({
    visible: visible(ids),
    session: 's1',
    ...(principal && { principal }),
  }))
  orders.registerFunction('mcp::b1::progress', (report: (typeof progress)[number]) => {
    progress.push(report)
    return { delivered: true }
  })
  const listeners = new Set<() => void>()
  let value: Options = { ...DEFAULTS, allowRun: true, jobs: JobDeclarations.parse(ORDERS_JOBS) }
  set = (change) => {
    value = { ...value, ...change }
    for (const listener of listeners) listener()
  }
  const settings = {
    get value() {
      return value
    },
    locked: undefined,
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const { close: stop } = serveRuns(worker, settings, log)
  await Promise.all([orders.ready(), worker.ready()])
  close = async () => {
    served.finishSlow()
    await stop()
    await Promise.all([orders.shutdown(), worker.shutdown()])
    await engine.close()
  }
})
afterEach(() => close())

const call = <T = RunRecord>(payload: object, metadata?: unknown): Promise<T> =>
  orders.trigger<T>({ function_id: 'runs::run_job', payload, metadata })
const readMetadata = async <T = object>() => {
  const payload = { function_id: 'runs::run_job' }
  return (await orders.trigger<{ metadata: T }>({ function_id: 'engine::functions::info', payload })).metadata
}
const refusal = async (payload: object, metadata?: unknown) => {
  const { code, message } = await call(payload, metadata).then(() => ({ code: 'none', message: '' }), toFault)
  return `${code}: ${message}`
}

describe('run_job', () => {
  it('answers a worker with the record', async () => {
    const record = await call({ job: 'orders-summary', input: { day: 'today' } })
    expect(record).toMatchObject({ via: 'bus', status: 'passed', exit_code: 0, caller_worker: expect.any(String) })
    expect(record).not.toHaveProperty('session')
    expect(progress).toEqual([])
  })

  it('shows a client each task, and fails for it exactly when the exit code is not 0', async () => {
    const passed = await call({ job: 'orders-summary' }, CLIENT)
    expect(passed).toMatchObject({ via: 'mcp', client: { name: 'agent' }, session: 's1', exit_code: 0 })
    expect(progress.at(-1)).toMatchObject({ progress: 3, total: 3, message: 'orders::summary: passed' })
    const failed = await call<object>({ job: 'failing' }, CLIENT)
    expect(failed).toMatchObject({ isError: true, structuredContent: { status: 'failed', exit_code: 1 } })
    expect(await call({ job: 'failing' })).toMatchObject({ status: 'failed', exit_code: 1 })
  })

  it('answers at once, or after so long, with a run that goes on', async () => {
    const running = await call({ job: 'slow', wait_ms: 0 }, CLIENT)
    expect(running).toMatchObject({ status: 'running' })
    expect(running).not.toHaveProperty('exit_code')
    await served.slow
    const taken = await refusal({ job: 'orders-summary' }, CLIENT)
    expect(taken).toContain(`conflict: The lock 'default' belongs to run ${running.id}`)
    expect(taken).toMatch(/; try again when it has ended, which runs__read_run tells$/)
    served.finishSlow()
    await expect
      .poll(async () => await orders.trigger({ function_id: 'runs::read_run', payload: { run_id: running.id } }))
      .toMatchObject({ record: { status: 'passed', exit_code: 0 } })
  })

  it.each([
    ['goes on', 'passed', { reason: 'deadline' }],
    ['is cancelled', 'cancelled', {}],
  ])('%s when nobody waits for it any more: %s', async (_, status, why) => {
    const call = orders.trigger({ function_id: 'runs::run_job', payload: { job: 'slow' }, metadata: CLIENT })
    await served.slow
    const { 'mcp.cancel': function_id = '' } = await readMetadata<{ 'mcp.cancel'?: string }>()
    await orders.trigger({ function_id, payload: { call_id: 'c1', ...why } })
    served.finishSlow()
    expect(await call).toMatchObject(
      status === 'passed' ? { status } : { isError: true, structuredContent: { status } },
    )
  })

  it('answers after an hour with a run that goes on', async () => {
    const slow = { ...ORDERS_JOBS.slow, timeout_ms: 7_200_000 }
    set({ jobs: JobDeclarations.parse({ ...ORDERS_JOBS, slow }) })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const function_id = 'runs::run_job'
    const call = orders.trigger<RunRecord>({ function_id, payload: { job: 'slow' }, timeoutMs: 7_200_000 })
    await served.slow
    vi.advanceTimersByTime(3_660_001)
    vi.useRealTimers()
    expect(await call).toMatchObject({ status: 'running' })
  })

  it.each([
    [{ job: 'nothing' }, "not_found: There is no job 'nothing'. runs__list_tasks shows the jobs"],
    [{ job: 'orders-sumary' }, "not_found: There is no job 'orders-sumary'. Did you mean orders-summary"],
    [{ job: 'orders-summary', input: { day: 1 } }, 'invalid_input: input.day: must be a string, not a number'],
    [
      { job: 'orders-summary', inputs: {} },
      'invalid_input: inputs: is unknown (did you mean input?); it takes job, input, force, wait_ms',
    ],
    [{ job: 'orders-summary', wait_ms: -1 }, 'invalid_input: wait_ms: must be at least 0'],
    [{ job: 'orders::report' }, 'forbidden: The job orders::report is declared by its function alone'],
  ])('refuses %j', async (payload, expected) => {
    expect(await refusal(payload, CLIENT)).toContain(expected)
    expect(served.calls).toEqual([])
  })

  it('knows no job for a client that may not see all of it', async () => {
    visible = (ids) => ids.filter((id) => id !== 'orders::collect')
    expect(await refusal({ job: 'orders-summary' }, CLIENT)).toMatch(
      /^not_found: There is no job 'orders-summary'\. .*runs__list_tasks shows the jobs/,
    )
    expect(await refusal({ job: 'orders-summary' }, { mcp: { call_id: 'c', via: 'mcp::gone' } })).toMatch(/^not_found/)
    expect(served.calls).toEqual([])
    expect(await call({ job: 'orders-summary' })).toMatchObject({ exit_code: 0 })
  })

  it('tells nobody what differs from what somebody else has run', async () => {
    const run = async (who: string | undefined, day: string) => {
      principal = who
      const { tasks } = await call({ job: 'orders-summary', input: { day } }, CLIENT)
      return tasks.at(-1)?.cache.reason
    }
    expect(await run('token:ada', 'monday')).toBe('never passed')
    expect(await run('token:bob', 'tuesday')).toBe('not in the cache')
    expect(await run('token:bob', 'friday')).toBe('input changed: /day')
    expect(await run('token:ada', 'sunday')).toBe('not in the cache')
    const { tasks } = await call({ job: 'orders-summary', input: { day: 'today' } })
    expect(tasks.at(-1)?.cache.reason).toBe('input changed: /day')
  })

  it('runs what a function calls a job when the operator lists it', async () => {
    expect(await call({ job: 'orders::report' })).toMatchObject({ exit_code: 0 })
    set({ allowMetadataJobs: ['orders::report'] })
    expect(await call({ job: 'orders::report' }, CLIENT)).toMatchObject({ exit_code: 0, via: 'mcp' })
  })

  it('is switched off and on with the setting, and says which flag is missing', async () => {
    expect(await readMetadata()).toMatchObject({ 'mcp.expose': true, 'mcp.task': 'optional' })
    set({ allowRun: false })
    await expect
      .poll(() => readMetadata())
      .toMatchObject({ 'mcp.expose': false, 'mcp.refusal': expect.stringContaining('--allow-run') })
    expect(await refusal({ job: 'orders-summary' })).toMatch(/^forbidden: .*--allow-run/)
    expect(await refusal({}, CLIENT)).toMatch(/^forbidden: .*--allow-run/)
    set({ allowRun: true })
    await expect.poll(() => readMetadata()).toMatchObject({ 'mcp.expose': true })
    visible = (ids) => {
      set({ allowRun: false })
      return ids
    }
    expect(await refusal({ job: 'orders-summary' }, CLIENT)).toMatch(/^forbidden: .*--allow-run/)
    set({ allowRun: true })
    await expect.poll(() => readMetadata()).toMatchObject({ 'mcp.expose': true })
    const stop = engine.onFrame(({ frame }) => {
      // When everything else is known.
      const { scope } = { ...(frame['data'] as { scope?: string } | undefined) }
      if (scope === STATE_SCOPES.runs.baselines) set({ allowRun: false })
    })
    expect(await refusal({ job: 'orders-summary' })).toMatch(/^forbidden: .*--allow-run/)
    stop()
    expect(served.calls).toEqual([])
    set({ allowRun: true })
    await expect.poll(() => readMetadata()).toMatchObject({ 'mcp.expose': true })
    expect(await call({ job: 'orders-summary' })).toMatchObject({ exit_code: 0 })
  })
})
