import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CallEntry } from './call-rows.ts'
import { createRunStore, type RunStore } from './store.ts'

let engine: MockEngine
let worker: Worker
let store: RunStore
const KEEP = { runs: 1000, calls: 10_000, days: 36_500, bytes: 1e9 }
const HEAD = { scope: 'runs-index', key: 'calls' }
const dead = async () => undefined

beforeEach(async () => {
  engine = await startMockEngine()
  worker = registerWorker(engine.url, { name: 'runs', log: createLog({ name: 'runs', level: 'silent' }) })
  await worker.ready({ timeoutMs: 5000 })
  store = createRunStore(worker, () => 5000)
})
afterEach(async () => {
  await worker.shutdown()
  await engine.close()
})

const listCalls = async (): Promise<string[]> => {
  const ids: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await store.list({ kind: 'call', limit: 100, ...(cursor && { cursor }) })
    ids.push(...page.entries.map((entry) => (entry.kind === 'gap' ? '' : entry.id)))
    cursor = page.cursor
  }
  return ids.reverse()
}

function createCalls(count: number, from = 0): CallEntry[] {
  const at = new Date(0).toISOString()
  const call = { kind: 'call', asked: 'tool', tool: 'shop__count', started_at: at, duration_ms: 1 } as const
  const more = { outcome: 'ok', bytes_in: 2, bytes_out: 2 } as const
  return Array.from({ length: count }, (_, number) => ({ ...call, ...more, id: `call-${from + number}` }))
}

test('calls that were counted twice, because an answer was lost, take no others with them', async () => {
  const quick = createRunStore(worker, () => 100)
  const keep = { ...KEEP, calls: 250 }
  await quick.addCalls(createCalls(200), 'key', keep)
  engine.inject({ fault: 'lose-result', function: 'state::update', times: 1, skip: 1 })
  await quick.addCalls(createCalls(50, 200), 'key', KEEP)
  expect(await store.calls.head()).toMatchObject({ entries: 300 })
  await store.calls.recount()
  expect(await store.collect(keep, dead)).toMatchObject({ calls: 0 })
  const bytes = Buffer.byteLength(
    createCalls(250)
      .map((call) => JSON.stringify(call))
      .join(''),
  )
  expect(await store.calls.head()).toMatchObject({ entries: 250, bytes })
})

test('what a stranger wrote where calls are counted is counted anew', async () => {
  await store.addCalls(createCalls(120), 'key', KEEP)
  for (const entries of [1e9, -1e9, 'many']) {
    await engine.call('state::update', { ...HEAD, ops: [{ type: 'set', path: 'entries', value: entries }] })
    await store.calls.recount()
    expect(await store.calls.head()).toMatchObject({ rows: 2, entries: 120 })
  }
})

test('calls that another process adds and removes while they are counted stay counted', async () => {
  await store.addCalls(createCalls(250), 'key', KEEP)
  const other = createRunStore(worker, () => 5000)
  const change = { ...HEAD, ops: [{ type: 'increment', path: 'entries', by: 7 }] }
  await engine.call('state::update', change)
  let meanwhile = async () => {
    meanwhile = async () => undefined
    await other.addCalls(createCalls(50, 250), 'key', { ...KEEP, calls: 256 })
  }
  const slow = createRunStore(
    {
      namespace: undefined,
      async trigger(request) {
        if (request.function_id === 'state::get' && JSON.stringify(request).includes('calls-0')) await meanwhile()
        return await worker.trigger(request)
      },
    },
    () => 5000,
  )
  await slow.calls.recount()
  expect(await store.calls.head()).toMatchObject({ first: 1, entries: 207 })
  await slow.calls.recount()
  expect(await store.calls.head()).toMatchObject({ first: 1, entries: 200 })
})

test('calls are listed and kept although the engine crashed and has forgotten the place of their row', async () => {
  await store.addCalls(createCalls(100), 'key', KEEP)
  const before = await engine.call('state::get', HEAD)
  await store.addCalls(createCalls(130, 100), 'key', KEEP)
  await engine.call('state::set', { ...HEAD, value: before })
  for (let at = 230; at < 500; at += 90) {
    await store.addCalls(createCalls(90, at), 'key', KEEP)
    expect(await listCalls()).toEqual(createCalls(at + 90).map((call) => call.kind === 'call' && call.id))
  }
})
