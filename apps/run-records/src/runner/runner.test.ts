import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { Fault, STATE_SCOPES } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RunProcess, startRunProcess } from '../testing/run-stage.ts'

let engine: MockEngine
let shop: Worker
let runs: RunProcess

const JOBS = {
  report: {
    targets: ['shop::report'],
    inputs: { 'shop::count': { kind: 'all' } },
    input: { type: 'object', properties: { day: { type: 'string' }, password: { type: 'string' } } },
  },
  broken: { targets: ['shop::after-broken', 'shop::count'], concurrency: 1 },
  slow: { targets: ['shop::slow'], timeout_ms: 60 },
  wait: { targets: ['shop::slow'] },
  rude: { targets: ['shop::rude'] },
  sloppy: { targets: ['shop::sloppy'] },
  login: {
    targets: ['shop::login'],
    input: { type: 'object', properties: { pin: { type: 'string', format: 'password' } } },
  },
  talk: { targets: ['shop::talk'], input: { type: 'object' } },
  lost: { targets: ['shop::nowhere'] },
}

let calls: { id: string; payload: unknown; metadata: unknown }[]
let release: (() => void)[]

function offer(id: string, work: (payload: never) => unknown, metadata: Record<string, unknown> = {}): void {
  shop.registerFunction(
    id,
    (payload, sidecar) => {
      calls.push({ id, payload, metadata: sidecar })
      return work(payload as never)
    },
    { metadata },
  )
}

beforeAll(async () => {
  engine = await startMockEngine()
})
afterAll(() => engine.close())
beforeEach(async () => {
  calls = []
  release = []
  shop = registerWorker(engine.url, { name: 'shop', log: createLog({ name: 'shop', level: 'silent' }) })
  offer('shop::count', () => ({ orders: 3 }), { 'runs.cache': { ttl_ms: 60_000 } })
  offer('shop::report', ({ day }: { day?: string }) => ({ day: day ?? 'none', token: 'sk-live-canary' }), {
    'runs.depends_on': ['shop::count'],
  })
  offer('shop::broken', () => {
    throw new Fault('unavailable', 'the printer is out of paper, password=hunter2canary')
  })
  offer('shop::after-broken', () => ({}), { 'runs.depends_on': ['shop::broken'] })
  offer('shop::slow', () => new Promise<void>((resolve) => release.push(resolve)))
  offer('shop::rude', () => ({ isError: true, content: [{ type: 'text', text: 'no such printer' }] }))
  await shop.ready({ timeoutMs: 5000 })
  runs = await startRunProcess(engine.url, JOBS)
})
afterEach(async () => {
  for (const end of release) end()
  await runs[Symbol.asyncDispose]()
  await shop.shutdown()
})

test('a job runs its tasks in order, and hands results on in the sidecar', async () => {
  const record = await runs.run('report', { input: { day: 'today' }, force: true })
  expect(record).toMatchObject({ job: 'report', status: 'passed', exit_code: 0, via: 'cli', lock: { name: 'default' } })
  expect(record.tasks.map(({ id, status, cache }) => [id, status, cache.decision])).toEqual([
    ['shop::count', 'passed', 'bypassed'],
    ['shop::report', 'passed', 'disabled'],
  ])
  expect(calls).toMatchObject([
    {
      id: 'shop::count',
      payload: { kind: 'all' },
      metadata: { runs: { run_id: record.id, job: 'report', needs: {} } },
    },
    {
      id: 'shop::report',
      payload: { day: 'today' },
      metadata: { runs: { run_id: record.id, needs: { 'shop::count': { orders: 3 } } } },
    },
  ])
})

test('what is kept is what was answered, without secrets', async () => {
  const record = await runs.run('report', { input: { password: 'hunter2canary' } })
  const kept = await runs.store.read(record.id)
  expect(kept?.record).toEqual(record)
  expect(JSON.stringify(kept)).not.toContain('canary')
  expect(record.tasks[1]?.output).toMatchObject({ value: { day: 'none', token: '<secret>' }, redacted: ['/token'] })
  const { entries } = await runs.store.list({ limit: 5 })
  expect(entries[0]).toMatchObject({ kind: 'run', id: record.id, status: 'passed', task_count: 2 })
})

test('a task that passed with the same input is taken from the cache, and force computes it again', async () => {
  await runs.run('report')
  calls.length = 0
  const record = await runs.run('report')
  expect(record.tasks[0]).toMatchObject({
    status: 'cached',
    cache: { decision: 'hit' },
    output: { value: { orders: 3 } },
  })
  expect(calls.map(({ id }) => id)).toEqual(['shop::report'])
  const forced = await runs.run('report', { force: true })
  expect(forced.tasks[0]?.cache).toMatchObject({ decision: 'bypassed' })
  await runs.store.facts.clearCache()
  expect((await runs.run('report')).tasks[0]?.cache).toMatchObject({ decision: 'miss' })
})

test('the first failure stops new tasks, dependents are skipped, and the failed one says how to go on', async () => {
  const record = await runs.run('broken')
  expect(record).toMatchObject({ status: 'failed', exit_code: 1, error: { code: 'unavailable' } })
  expect(Object.fromEntries(record.tasks.map(({ id, status }) => [id, status]))).toEqual({
    'shop::broken': 'failed',
    'shop::after-broken': 'skipped',
    'shop::count': 'skipped',
  })
  const skipped = record.tasks.filter(({ status }) => status === 'skipped')
  expect(skipped.map(({ id, cache, depends_on }) => [id, cache.reason, depends_on])).toEqual([
    ['shop::after-broken', 'not started: shop::broken failed', ['shop::broken']],
    ['shop::count', 'not started: shop::broken failed', undefined],
  ])
  const kept = await runs.store.read(record.id)
  const packs = kept?.kept.tasks.flatMap((task) => task?.pack ?? [])
  expect(packs).toMatchObject([{ task: 'shop::broken', reproduce: 'iii-runs run broken --force' }])
  expect(JSON.stringify(kept)).not.toContain('canary')
})

test('an MCP result with isError is a failure', async () => {
  const record = await runs.run('rude')
  expect(record.tasks[0]).toMatchObject({ status: 'failed', error: { code: 'is_error', message: 'no such printer' } })
})

test('an error has no stack and no path of the machine that it comes from', async () => {
  const text = 'no such printer: /srv/shop/print.js\n    at print (/srv/shop/print.js:3:1)'
  offer('shop::sloppy', () => ({ isError: true, content: [{ type: 'text', text }] }))
  const record = await runs.run('sloppy')
  expect(record.tasks[0]?.error).toEqual({ code: 'is_error', message: 'no such printer: <path>' })
  const kept = await runs.store.read(record.id)
  expect(kept?.kept.tasks[0]?.pack?.error).toEqual(record.tasks[0]?.error)
})

test('a run that takes too long is unknown', async () => {
  const record = await runs.run('slow')
  expect(record).toMatchObject({ status: 'unknown', exit_code: 1, error: { code: 'deadline' } })
  expect(record.tasks[0]).toMatchObject({ status: 'unknown' })
})

test('a task whose worker leaves is unknown', async () => {
  const started = await runs.start('wait')
  await expect.poll(() => calls.length).toBe(1)
  await shop.shutdown()
  expect(await started.finished).toMatchObject({ status: 'unknown', exit_code: 1 })
})

test('a run can be cancelled, from here and by its holder', async () => {
  const started = await runs.start('wait')
  const asked = runs.worker.trigger({ function_id: runs.holder.id, payload: { cancel: started.id } })
  expect(await asked).toEqual({ running: [started.id], cancelled: true })
  expect(await started.finished).toMatchObject({ status: 'cancelled', exit_code: 130 })
  const stop = new AbortController()
  const again = await runs.start('wait', { signal: stop.signal })
  stop.abort({ exitCode: 143 })
  expect(await again.finished).toMatchObject({ status: 'cancelled', exit_code: 143 })
})

test('a second run is refused at once while the lock is held, and told by whom', async () => {
  const started = await runs.start('wait')
  const refusal = await runs.refusal('report')
  expect(refusal).toMatch(/^conflict: The lock 'default' belongs to run 01[0-9A-Z]{24} of runs::holder-/)
  expect(refusal).toContain(started.id)
  for (const end of release) end()
  await started.finished
})

test.each([
  ['reprot', {}, /^not_found: No such job: reprot; did you mean report\?$/],
  ['report', { input: { day: 4711 } }, /^invalid_input: input\.day/],
  ['lost', {}, /^unavailable: The job lost needs the function shop::nowhere/],
])('%s with %j is refused before anything is written', async (job, request, expected) => {
  const before = (await runs.store.index.head()).entries
  expect(await runs.refusal(job, request)).toMatch(expected)
  expect((await runs.store.index.head()).entries).toBe(before)
  expect(await runs.locks.look('default')).toBeUndefined()
})

test('a run whose lock is taken away starts nothing more and writes nothing more', async () => {
  const other = await startRunProcess(engine.url, JOBS, { timings: { beatEveryMs: 10, confirmedForMs: 10 } })
  const started = await other.start('wait')
  await runs.locks.unlock('default')
  const record = await started.finished
  expect(record).toMatchObject({ status: 'failed', exit_code: 1, error: { code: 'lock_lost' } })
  expect((await runs.store.read(started.id))?.record.status).toBe('running')
  await runs.runner.collect()
  expect((await runs.store.read(started.id))?.record).toMatchObject({
    status: 'unknown',
    error: { code: 'lock_lost' },
  })
  await other[Symbol.asyncDispose]()
})

test('a secret of an input is kept nowhere, in whichever words a function says it again', async () => {
  offer('shop::login', ({ pin }: { pin: string }) => ({ echo: { pin }, list: [`welcome, ${pin}`], [pin]: 1 }))
  offer('shop::talk', ({ password }: { password: string }) => {
    throw new Error(`nobody comes in with ${password}`)
  })
  await shop.ready()
  const login = await runs.run('login', { input: { pin: 'open sesame' } })
  const talk = await runs.run('talk', { input: { password: 'open sesame' } })
  expect([login.status, talk.status]).toEqual(['passed', 'failed'])
  expect(talk.tasks[0]?.error?.message).toBe('nobody comes in with <secret>')
  const state = (scope: string) => shop.trigger({ function_id: 'state::list', payload: { scope } })
  const kept = await Promise.all(Object.values(STATE_SCOPES.runs).map(state))
  expect(JSON.stringify([login, talk, kept])).not.toContain('open sesame')
})

test('of a function that forbids records not even its words of failure are kept', async () => {
  offer('shop::login', ({ pin }: { pin: string }) => ({ isError: true, content: [{ type: 'text', text: pin }] }), {
    'runs.record': 'none',
  })
  await shop.ready()
  const { tasks, error } = await runs.run('login', { input: { pin: 'open sesame' } })
  expect(tasks[0]?.error).toMatchObject({ code: 'is_error', message: expect.stringContaining('runs.record') })
  expect(JSON.stringify([tasks, error])).not.toContain('open sesame')
})

test('how long a task took does not depend on how long its result is looked through', async () => {
  const result = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`field ${at}`, `text ${at}`]))
  offer('shop::talk', () => result)
  await shop.ready()
  const [task] = (await runs.run('talk')).tasks
  const between = Date.parse(task?.finished_at ?? '') - Date.parse(task?.started_at ?? '')
  expect(Math.abs((task?.duration_ms ?? 0) - between)).toBeLessThanOrEqual(2)
})

test('who waits for a lock in a process that ends waits no longer, and runs nothing', async () => {
  const started = await runs.start('wait')
  const other = await startRunProcess(engine.url, JOBS)
  const blockers: string[] = []
  const refused = other.refusal('report', { waitMs: 60_000, onWaiting: ({ run }) => void blockers.push(run) })
  await expect.poll(() => blockers).toEqual([started.id])
  await other.runner.close()
  expect(await refused).toMatch(/^conflict: /)
  await other[Symbol.asyncDispose]()
  for (const end of release) end()
  expect((await started.finished).status).toBe('passed')
})

test('who would wait for a lock that is free costs the engine no second look at the functions', async () => {
  let lists = 0
  const stop = engine.onFrame(({ frame }) => {
    if (frame['type'] === 'invokefunction' && frame['function_id'] === 'engine::functions::list') lists += 1
  })
  expect(await runs.run('rude', { waitMs: 60_000 })).toMatchObject({ status: 'failed' })
  stop()
  expect(lists).toBe(1)
})
