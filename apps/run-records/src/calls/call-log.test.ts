import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { STATE_SCOPES } from '@iii/protocol'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRunStore, type RunStore } from '../store/store.ts'
import { DEFAULTS } from '../testing/run-stage.ts'
import { createCallRecorder } from './call-log.ts'

let engine: MockEngine
let worker: Worker
let store: RunStore
const log = createLog({ name: 'runs', level: 'silent' })

beforeAll(async () => {
  engine = await startMockEngine()
  worker = registerWorker(engine.url, { name: 'runs', log })
  await worker.ready({ timeoutMs: 5000 })
  store = createRunStore(worker, () => 5000)
})
afterAll(async () => {
  await worker.shutdown()
  await engine.close()
})

function createCall(id: string, more: object = {}): object {
  const times = { started_at: '2026-01-01T00:00:00.000Z', ms: 5 }
  return {
    version: 1,
    call_id: id,
    kind: 'tool',
    tool: 'shop__count',
    outcome: 'ok',
    ...times,
    bytes_in: 2,
    bytes_out: 3,
    ...more,
  }
}

async function listCalls(): Promise<string[]> {
  const { entries } = await store.list({ kind: 'call', limit: 100 })
  return entries.map((entry) =>
    entry.kind === 'gap' ? `gap of ${entry.missed}` : entry.kind === 'call' ? entry.id : '',
  )
}

test('what bridges tell is written once, without secrets, and malformed parts are left out', async () => {
  const calls = createCallRecorder({ store, options: () => DEFAULTS, log })
  const secret = createCall('a', { input: { password: 'hunter2canary', day: 'today' }, session: 's1' })
  calls.hear({ version: 1, via: 'mcp::x', calls: [secret, { call_id: 'malformed' }, secret], gap: undefined })
  calls.hear({
    calls: [createCall('b')],
    gap: { dropped: 7, since: '2026-01-01T00:00:00Z', until: '2026-01-01T00:00:01Z' },
  })
  for (const nonsense of [undefined, 'text', { calls: 'none' }, { calls: [null, 5] }]) calls.hear(nonsense)
  await calls.close()
  expect(await listCalls()).toEqual(['gap of 7', 'b', 'a'])
  const { entries } = await store.list({ kind: 'call', limit: 100 })
  expect(entries.at(-1)).toMatchObject({ session: 's1', input: { value: { day: 'today', password: '<secret>' } } })
  expect(JSON.stringify(entries)).not.toContain('canary')
})

test('nothing is kept where calls are not to be kept', async () => {
  const before = await listCalls()
  const calls = createCallRecorder({ store, options: () => ({ ...DEFAULTS, recordCalls: false }), log })
  calls.hear({ calls: [createCall('c')] })
  await calls.close()
  expect(await listCalls()).toEqual(before)
})

test('while the store does not answer calls wait, and what is too much is counted', async () => {
  const broken = engine.inject({ fault: 'fail-call', function: 'state::*' })
  const calls = createCallRecorder({ store, options: () => DEFAULTS, log, maxWaiting: 250 })
  for (const batch of [0, 1, 2]) {
    calls.hear({ calls: Array.from({ length: 100 }, (_, at) => createCall(`many-${batch}-${at}`)) })
  }
  await calls.close()
  broken()
  const before = (await store.calls.head()).entries
  // Two rows of calls come first, and then what is too much.
  engine.inject({ fault: 'fail-call', function: 'state::set', skip: 2, times: 1 })
  await calls.close()
  await calls.close()
  expect((await store.calls.head()).entries - before).toBe(251)
  const newest = await store.list({ kind: 'call', limit: 100 })
  const older = await store.list({ kind: 'call', limit: 100, cursor: newest.cursor })
  expect([...newest.entries, ...older.entries]).toContainEqual(expect.objectContaining({ kind: 'gap', missed: 50 }))
})

test('of calls that wait, those beyond a size are kept without their inputs', async () => {
  const broken = engine.inject({ fault: 'fail-call', function: 'state::*' })
  const calls = createCallRecorder({ store, options: () => DEFAULTS, log })
  const large = { bytes_in: 20 * 1024 * 1024, input: { day: 'today' } }
  calls.hear({ calls: [createCall('large 1', large), createCall('large 2', large), createCall('large 3')] })
  await calls.close()
  broken()
  await calls.close()
  calls.hear({ calls: [createCall('large 4', large)] })
  await calls.close()
  const { entries } = await store.list({ kind: 'call', limit: 4 })
  const inputs = entries.map((entry) => entry.kind === 'call' && [entry.id, entry.input?.value])
  const day = { day: 'today' }
  expect(inputs).toEqual([
    ['large 4', day],
    ['large 3', undefined],
    ['large 2', undefined],
    ['large 1', day],
  ])
})

test('calls of all processes are in the list although the engine has lost its state between them', async () => {
  const [one, other] = ['one', 'other'].map(() =>
    createCallRecorder({ store: createRunStore(worker, () => 5000), options: () => DEFAULTS, log }),
  )
  const record = async (by: typeof one, id: string) => {
    by?.hear({ calls: [createCall(id)] })
    await by?.close()
  }
  await record(other, 'before by the other')
  await record(one, 'before')
  for (const key of ['calls', 'store']) await engine.call('state::delete', { scope: STATE_SCOPES.runs.index, key })
  await record(one, 'after')
  await record(other, 'after by the other')
  await record(one, 'later')
  const all = ['before', 'after', 'later', 'before by the other', 'after by the other']
  expect((await listCalls()).toSorted()).toEqual(all.toSorted())
  expect((await store.calls.head()).entries).toBe(all.length)
})

test('many calls at once are written without a pause', async () => {
  const own = createRunStore(worker, () => 5000)
  const before = (await own.calls.head()).entries
  const calls = createCallRecorder({ store: own, options: () => DEFAULTS, log, flushMs: 60_000 })
  for (const batch of [0, 1, 2, 3, 4]) {
    calls.hear({ calls: Array.from({ length: 100 }, (_, at) => createCall(`burst-${batch}-${at}`)) })
  }
  await expect.poll(async () => (await own.calls.head()).entries - before).toBe(500)
  await calls.close()
})

test('which function is behind a prompt that somebody was refused is not kept, and of a tool it is', async () => {
  const calls = createCallRecorder({ store, options: () => DEFAULTS, log })
  const refused = { outcome: 'refused', code: 'unknown', function_id: 'vault::open', decision: 'hidden' }
  const rows = {
    prompt: { ...refused, kind: 'prompt', tool: 'vault', principal: 'token:ci' },
    tool: { ...refused, tool: 'vault__open', principal: 'token:ci' },
    'of everybody': { ...refused, kind: 'prompt', tool: 'vault' },
    answered: { kind: 'prompt', tool: 'vault', principal: 'token:ci', function_id: 'vault::open' },
  }
  calls.hear({ calls: Object.entries(rows).map(([id, row]) => createCall(id, row)) })
  await calls.close()
  const { entries } = await store.list({ kind: 'call', limit: 100 })
  const kept = new Map(entries.map((entry) => [entry.kind === 'call' && entry.id, entry]))
  const named = Object.keys(rows).map((id) => [id, JSON.stringify(kept.get(id)).includes('vault::open')])
  expect(Object.fromEntries(named)).toEqual({ prompt: false, tool: true, 'of everybody': true, answered: true })
})

test('calls beyond what is kept go as others come, and not with the next look at all records', async () => {
  const own = createRunStore(worker, () => 5000)
  const calls = createCallRecorder({ store: own, options: () => ({ ...DEFAULTS, keepCalls: 250 }), log })
  for (const batch of Array.from({ length: 12 }).keys()) {
    calls.hear({ calls: Array.from({ length: 100 }, (_, at) => createCall(`flood-${batch}-${at}`)) })
  }
  await calls.close()
  const { rows, first, entries } = await own.calls.head()
  const kept = await Promise.all(Array.from({ length: rows }, async (_, row) => (await own.calls.read(row)).length))
  const left = kept.reduce((sum, length) => sum + length, 0)
  expect(left).toBe(entries)
  expect(left).toBeLessThanOrEqual(250)
  expect(kept.slice(0, first).every((length) => length === 0)).toBe(true)
  expect(kept.at(-1)).toBeGreaterThan(0)
})
