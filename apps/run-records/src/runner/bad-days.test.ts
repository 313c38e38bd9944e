import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { JobDeclarations } from '../jobs/declaration.ts'
import { type RunProcess, startRunProcess } from '../testing/run-stage.ts'

const JOBS = { chain: { targets: ['shop::second'] }, single: { targets: ['shop::quick'] } }
const QUICK = { beatEveryMs: 20, confirmedForMs: 20, lookEveryMs: 5, callTimeoutMs: 2000, deadAfterMs: 100 }

let engine: MockEngine
let shop: Worker
let runs: RunProcess
let called: string[]
let goOn: () => void

beforeEach(async () => {
  engine = await startMockEngine()
  called = []
  shop = registerWorker(engine.url, { name: 'shop', log: createLog({ name: 'shop', level: 'silent' }) })
  const until = new Promise<void>((resolve) => {
    goOn = resolve
  })
  shop.registerFunction('shop::first', async () => {
    called.push('first')
    await until
    return { ok: true }
  })
  shop.registerFunction('shop::second', () => called.push('second'), {
    metadata: { 'runs.depends_on': ['shop::first'] },
  })
  shop.registerFunction('shop::quick', () => called.push('quick'))
  await shop.ready({ timeoutMs: 5000 })
  runs = await startRunProcess(engine.url, JOBS, { timings: QUICK })
})
afterEach(async () => {
  goOn()
  await runs[Symbol.asyncDispose]()
  await shop.shutdown()
  await engine.close()
})

async function wipe(scope: string, ...keys: string[]): Promise<void> {
  for (const key of keys) await engine.call('state::delete', { scope, key })
}

test('state that is wiped under a running job: nothing more is started, and the next run begins anew', async () => {
  const started = await runs.start('chain')
  await expect.poll(() => called).toEqual(['first'])
  await wipe('runs-locks', 'default')
  const record = await started.finished
  expect(record).toMatchObject({ status: 'failed', exit_code: 1, error: { code: 'lock_lost' } })
  goOn()
  expect(called).toEqual(['first'])
  expect(await runs.run('single')).toMatchObject({ status: 'passed', lock: { generation: 1 } })
})

test.each([
  ['is gone', {}, 'not_found: No such job: single'],
  ['is another one', { single: { targets: ['shop::nowhere'] } }, 'unavailable: The job single needs'],
  ['has another lock', { single: { targets: ['shop::quick'], lock: 'other' } }, 'conflict: The job single got'],
])('a job that %s when its lock is free is not run as it was', async (_, jobs, expected) => {
  const started = await runs.start('chain')
  await expect.poll(() => called).toEqual(['first'])
  let onWaiting = () => {}
  const isWaiting = new Promise<void>((resolve) => {
    onWaiting = resolve
  })
  const refused = runs.refusal('single', { waitMs: 60_000, onWaiting })
  await isWaiting
  runs.options.jobs = JobDeclarations.parse(jobs)
  goOn()
  expect(await refused).toContain(expected)
  await started.finished
  expect(called).toEqual(['first', 'second'])
  expect(await runs.locks.look('default')).toBeUndefined()
})

test('a clock that is set back under a running job: the run is kept, and took as long as it took', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const started = await runs.start('chain')
    await expect.poll(() => called).toEqual(['first'])
    vi.setSystemTime(Date.now() - 3_600_000)
    goOn()
    const { id } = await started.finished
    const kept = await runs.store.runs.read(id)
    expect(kept?.row).toMatchObject({ status: 'passed', duration_ms: expect.any(Number) })
    expect(kept?.tasks.map((row) => row?.task.status)).toEqual(['passed', 'passed'])
  } finally {
    vi.useRealTimers()
  }
})

test('an engine that restarts without its state: the run ends, and starts nothing', async () => {
  const started = await runs.start('chain')
  await expect.poll(() => called).toEqual(['first'])
  await engine.restart({ state: 'lose' })
  expect(await started.finished).toMatchObject({ exit_code: 1 })
  expect(called).toEqual(['first'])
})

test('an engine that restarts with its state: what was under way is unknown, and the lock is given back', async () => {
  const started = await runs.start('chain')
  await expect.poll(() => called).toEqual(['first'])
  await engine.restart({ state: 'keep' })
  const record = await started.finished
  expect(record).toMatchObject({ status: 'unknown', exit_code: 1 })
  expect(record.tasks.map(({ status }) => status)).toEqual(['unknown', 'skipped'])
  expect((await runs.store.read(started.id))?.record).toEqual(record)
  await shop.ready({ timeoutMs: 5000 })
  expect(await runs.run('single')).toMatchObject({ status: 'passed', lock: { generation: 2 } })
})

test('an engine that does not come back: the end of the run waits for nothing but its record', async () => {
  const own = await startMockEngine()
  const process = await startRunProcess(own.url, JOBS, { timings: { ...QUICK, callTimeoutMs: 60_000 } })
  const patience = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort())
  try {
    const local = registerWorker(own.url, { name: 'shop', log: createLog({ name: 'shop', level: 'silent' }) })
    local.registerFunction('shop::quick', async () => {
      await own.close()
      return {}
    })
    await local.ready({ timeoutMs: 5000 })
    expect(await process.run('single')).toMatchObject({ status: 'unknown' })
    await local.shutdown()
  } finally {
    patience.mockRestore()
    await process[Symbol.asyncDispose]()
    await own.close()
  }
})

test.each([0, 1, 2, 3, 4])('an answer of state::update that is lost costs nothing (%s before it)', async (skip) => {
  const quick = await startRunProcess(engine.url, JOBS, {
    stateTimeoutMs: 400,
    timings: { ...QUICK, callTimeoutMs: 400 },
  })
  engine.inject({ fault: 'lose-result', function: 'state::update', times: 1, skip })
  expect(await quick.run('single')).toMatchObject({ status: 'passed', exit_code: 0 })
  expect((await quick.store.list({ limit: 5 })).entries).toHaveLength(1)
  await expect.poll(() => quick.locks.look('default')).toBeUndefined()
  await quick[Symbol.asyncDispose]()
})

test('a store that is full: a run that cannot be recorded is refused, and one that has begun ends', async () => {
  const full = engine.inject({ fault: 'fail-call', function: 'state::set', message: 'no space left' })
  expect(await runs.refusal('single')).toMatch(/no space left/)
  expect(called).toEqual([])
  expect((await runs.store.list({ limit: 5 })).entries).toEqual([])
  full()
  const started = await runs.start('chain')
  engine.inject({ fault: 'fail-call', function: 'state::set', message: 'no space left' })
  goOn()
  expect(await started.finished).toMatchObject({ status: 'passed', truncated: true })
  expect(called).toEqual(['first', 'second'])
})

test('rows that strangers wrote: a lock says what to do, and the rest is written anew', async () => {
  const set = (scope: string, key: string) => engine.call('state::set', { scope, key, value: 'mine' })
  for (const [scope, key] of [
    ['runs-index', 'runs'],
    ['runs-index', 'runs-0'],
    ['runs-index', 'store'],
    ['runs-baselines', 'single'],
  ] as const) {
    await set(scope, key)
  }
  expect(await runs.run('single')).toMatchObject({ status: 'passed' })
  await set('runs-locks', 'default')
  expect(await runs.refusal('single')).toMatch(/^unavailable: The row of lock 'default' .* `iii-runs unlock default`/)
  await runs.locks.unlock('default')
  expect(await runs.run('single')).toMatchObject({ status: 'passed' })
  expect((await runs.store.list({ limit: 5 })).entries).toHaveLength(2)
})

test('a worker that is told to end cancels its runs and finishes their records', async () => {
  const started = await runs.start('chain')
  await expect.poll(() => called).toEqual(['first'])
  await runs.runner.close()
  expect(await started.finished).toMatchObject({ status: 'cancelled', exit_code: 143 })
  const tasks = [{ status: 'cancelled' }, { status: 'skipped' }]
  expect((await runs.store.read(started.id))?.record).toMatchObject({ status: 'cancelled', tasks })
})

test('the record of a process that died ends when its lock is taken over', async () => {
  const other = await startRunProcess(engine.url, JOBS, { timings: QUICK })
  const started = await other.start('chain')
  await expect.poll(() => called).toEqual(['first'])
  await other.worker.shutdown()
  expect(await runs.refusal('single')).toMatch(
    /^conflict: .*the process that ran it is gone, and who has seen its beats stand still/,
  )
  expect(await runs.run('single', { waitMs: 5000 })).toMatchObject({ status: 'passed', lock: { generation: 2 } })
  expect((await runs.store.read(started.id))?.record).toMatchObject({ status: 'unknown', exit_code: 1 })
  const { entries } = await runs.store.list({ limit: 5 })
  expect(entries.map((entry) => entry.kind === 'run' && entry.status)).toEqual(['passed', 'unknown'])
})
