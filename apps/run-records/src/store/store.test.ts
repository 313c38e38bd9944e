import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker, type Worker } from '@iii/sdk'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRunId } from '../record/run-id.ts'
import type { RunRow, TaskRecordRow } from '../record/run-record.ts'
import { toSummary } from '../record/summary.ts'
import { formatCursor, parseCursor } from './cursor.ts'
import { createRunStore, type RunStore } from './store.ts'

let engine: MockEngine
let worker: Worker
let store: RunStore
const log = createLog({ name: 'runs', level: 'silent' })
const NOW = Date.UTC(2026, 5, 1)
const DAY_MS = 86_400_000
const KEEP = { runs: 1000, calls: 10_000, days: 365, bytes: 1e9 }
const dead = async () => undefined

beforeAll(async () => {
  engine = await startMockEngine()
  worker = registerWorker(engine.url, { name: 'runs', log })
  await worker.ready({ timeoutMs: 5000 })
})
afterAll(async () => {
  await worker.shutdown()
  await engine.close()
})
beforeEach(async () => {
  await engine.restart({ state: 'lose' })
  await expect.poll(() => worker.state).toBe('connected')
  await worker.ready({ timeoutMs: 5000 })
  store = createRunStore(worker, () => 5000)
})

function createRow(more: Partial<RunRow> = {}): RunRow {
  return {
    schema_version: 1,
    id: createRunId(NOW),
    job: 'report',
    via: 'cli',
    holder: 'runs::holder-x',
    lock: { name: 'default', generation: 1 },
    status: 'passed',
    started_at: new Date(NOW).toISOString(),
    force: false,
    input: { value: {} },
    task_count: 1,
    ...more,
  }
}

function createTask(more: Partial<TaskRecordRow['task']> = {}): TaskRecordRow {
  const cache = { decision: 'disabled' as const, reason: 'none' }
  return { task: { id: 'shop::count', status: 'passed', cache, needs: {}, definition_fingerprint: 'f', ...more } }
}

async function addRun(more: Partial<RunRow> = {}): Promise<RunRow> {
  const row = createRow(more)
  await store.runs.write(row)
  const bytes = await store.runs.writeTask(row.id, 0, createTask())
  await store.index.add(toSummary(row, [{ id: 'shop::count', status: 'passed' }], bytes))
  return row
}

async function addRuns(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < count; at += 1) ids.push((await addRun()).id)
  return ids.reverse()
}

const listAll = async (): Promise<string[]> => {
  const ids: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await store.list({ kind: 'run', limit: 7, ...(cursor && { cursor }) })
    ids.push(...page.entries.map((entry) => (entry.kind === 'gap' ? '' : entry.id)))
    cursor = page.cursor
  }
  return ids
}

test('a run is read as it was written', async () => {
  const row = await addRun()
  const { task_count: _, ...head } = row
  expect((await store.read(row.id))?.record).toEqual({ ...head, tasks: [createTask().task] })
  expect(await store.read(createRunId())).toBeUndefined()
})

test('pages follow one another without a gap and without a repetition, the newest first', async () => {
  const ids = await addRuns(53)
  expect(await listAll()).toEqual(ids)
  expect((await store.index.head()).rows).toBe(2)
})

test('a list reads twenty rows at most, and goes on where it stopped', async () => {
  await addRuns(3)
  for (let row = 0; row < 30; row += 1)
    await worker.trigger({
      function_id: 'state::update',
      payload: { scope: 'runs-index', key: 'runs', ops: [{ type: 'increment', path: 'places', by: 50 }] },
    })
  let reads = 0
  const unwatch = engine.onFrame(({ direction, frame }) => {
    if (direction === 'in' && frame['function_id'] === 'state::get') reads += 1
  })
  const page = await store.list({ limit: 5 })
  // Beside them the heads of both lists, and the key of the store.
  expect(reads).toBeLessThanOrEqual(23)
  expect(page).toMatchObject({ entries: [], cursor: expect.any(String) })
  unwatch()
})

test.each(['', 'x', 'r1.2-c', 'r1.01ARZ3NDEKTSV4RRFFQ69G5FAV', '../../etc', 'r-c-1', `r${'9'.repeat(20)}-c`])(
  '%j is no cursor',
  async (cursor) => {
    expect(parseCursor(cursor)).toBeUndefined()
    await expect(store.list({ limit: 1, cursor })).rejects.toThrow('must be the cursor')
  },
)

test('a cursor tells nothing of what it stands for, is good in another process of the store, and no other is', async () => {
  await store.facts.ensure()
  const ids = await addRuns(3)
  const query = { kind: 'run', limit: 1 } as const
  const { cursor = '' } = await store.list(query)
  expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,128}$/)
  expect((await store.list(query)).cursor).toBe(cursor)
  expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain(ids[0])
  const other = createRunStore(worker, () => 5_000)
  expect((await other.list({ ...query, cursor })).entries).toMatchObject([{ id: ids[1] }])
  const [first = '', last = ''] = [cursor.slice(0, 1), cursor.slice(-4)]
  for (const wrong of [`${first === 'A' ? 'B' : 'A'}${cursor.slice(1)}`, cursor.slice(0, -4), `${cursor}${last}`]) {
    await expect(store.list({ ...query, cursor: wrong })).rejects.toThrow('must be the cursor')
  }
})

test('cursors are read as they were written', () => {
  const row = fc.nat({ max: 999_999_999 })
  const run = fc.option(fc.record({ row, id: fc.nat().map((now) => createRunId(now)) }), { nil: undefined })
  const call = fc.option(fc.record({ row, number: fc.nat({ max: 9999 }) }), { nil: undefined })
  fc.assert(
    fc.property(fc.record({ run, call }), (place) => void expect(parseCursor(formatCursor(place))).toEqual(place)),
  )
})

test('rows that strangers wrote are left out, and ours are written all the same', async () => {
  const set = (scope: string, key: string, value: unknown) =>
    worker.trigger({ function_id: 'state::set', payload: { scope, key, value } })
  const { id } = await addRun()
  await set('runs', id, { id, status: 'passed', tasks: 'many' })
  expect(await store.read(id)).toBeUndefined()
  await set('runs-index', 'runs', 'mine')
  await set('runs-index', 'runs-0', ['mine'])
  await set('runs-index', 'store', 7)
  await set('runs-baselines', 'report', 'mine')
  expect(await store.list({ limit: 5 })).toEqual({ entries: [] })
  expect(await store.cache.baselines('report')).toEqual(new Map())
  const ingredients = { fingerprint: 'f', input: {}, needs: {} }
  await store.cache.writeBaselines(
    'report',
    new Map([['shop::count', { run_id: id, finished_at: 'x', result: 'r', ingredients }]]),
  )
  expect((await store.cache.baselines('report')).size).toBe(1)
  expect(await store.facts.ensure()).toEqual(await store.facts.read())
  const next = await addRun()
  expect(await listAll()).toEqual([next.id])
})

test('a run that has no task yet is read from a store on Redis, whose update makes an object of an empty list', async () => {
  const { id } = await addRun()
  const row = (await engine.call('state::get', { scope: 'runs-index', key: 'runs-0' })) as Record<string, object>
  const value = { [id]: { ...row[id], tasks: {} } }
  await engine.call('state::set', { scope: 'runs-index', key: 'runs-0', value })
  expect((await store.list({ limit: 5 })).entries).toMatchObject([{ id, tasks: [] }])
})

test('a state that was wiped is an empty store', async () => {
  await addRuns(3)
  await engine.restart({ state: 'lose' })
  await expect.poll(async () => store.list({ limit: 5 }).catch(() => undefined)).toEqual({ entries: [] })
  const { id } = await addRun()
  expect(await listAll()).toEqual([id])
})

test('all who need the key of the store at the same time have the same', async () => {
  const facts = await Promise.all(Array.from({ length: 5 }, () => createRunStore(worker, () => 5000).facts.ensure()))
  expect(new Set(facts.map(({ digestKey }) => digestKey)).size).toBe(1)
})

test('the oldest runs go by number, with their details and what they left in the cache', async () => {
  const ids = await addRuns(120)
  const result = { run_id: ids[119] ?? '', task: 'shop::count', stored_at: 'x', output: 1, result: 'r' }
  const cache = { decision: 'miss' as const, reason: 'first', key: 'k' }
  await store.runs.writeTask(ids[119] ?? '', 0, createTask({ cache }))
  await store.cache.store('k', 0, result)
  expect(await store.collect({ ...KEEP, runs: 10 }, dead)).toMatchObject({ runs: 110 })
  expect(await listAll()).toEqual(ids.slice(0, 10))
  expect(await store.read(ids[119] ?? '')).toBeUndefined()
  expect(await store.cache.find('k', 0)).toBeUndefined()
  expect(await engine.call('state::list', { scope: 'runs-detail' })).toHaveLength(10)
  expect(await store.index.head()).toMatchObject({ first: 2, entries: 10 })
})

test('they go by age and by size as well', async () => {
  const old = await addRun({ id: createRunId(Date.now() - 15 * DAY_MS) })
  const kept = await addRun({ id: createRunId(Date.now()) })
  await store.collect({ ...KEEP, days: 14 }, dead)
  expect(await listAll()).toEqual([kept.id])
  expect(await store.read(old.id)).toBeUndefined()
  await store.collect({ ...KEEP, bytes: 1 }, dead)
  expect(await listAll()).toEqual([])
})

test('a run that goes on is never removed, one of a dead process ends and may be', async () => {
  const live = await addRun({ id: createRunId(NOW - 400 * DAY_MS), status: 'running' })
  const lost = await addRun({ id: createRunId(NOW - 300 * DAY_MS), status: 'running' })
  await store.collect(KEEP, async (summary) => (summary.id === lost.id ? { ...summary, status: 'unknown' } : undefined))
  expect(await listAll()).toEqual([live.id])
})

test('runs that have to be waited for are so side by side, and what begins meanwhile is counted', async () => {
  for (const nth of [1, 2, 3]) await addRun({ id: createRunId(NOW + nth), status: 'running' })
  const asked: string[] = []
  const collecting = store.collect(KEEP, async (summary) => {
    asked.push(summary.id)
    await expect.poll(() => asked.length).toBe(3)
    if (summary.id === asked[0]) await addRun()
    return { ...summary, status: 'unknown' }
  })
  expect(await collecting).toMatchObject({ runs: 0 })
  expect(await store.index.head()).toMatchObject({ entries: 4 })
})

test('an answer that is lost is asked for again', async () => {
  const quick = createRunStore(worker, () => 100)
  engine.inject({ fault: 'lose-result', function: 'state::*', times: 1 })
  const row = createRow()
  await quick.runs.write(row)
  await quick.index.add(toSummary(row, [], 0))
  expect(await listAll()).toEqual([row.id])
})

test('a row of a run stays small, whatever was given to it', async () => {
  const row = createRow({ input: { value: { text: 'x'.repeat(60_000) }, digest: 'd' } })
  await store.runs.write(row)
  expect(await store.runs.readRow(row.id)).toMatchObject({
    truncated: true,
    input: { omitted: 'too_large', digest: 'd' },
  })
})

test('a row of a run whose error is long says that it is cut', async () => {
  const row = createRow({ error: { code: 'internal', message: 'ü'.repeat(60_000) } })
  await store.runs.write(row)
  expect((await store.runs.readRow(row.id))?.error?.message).toBe(`${'ü'.repeat(510)}…`)
})
