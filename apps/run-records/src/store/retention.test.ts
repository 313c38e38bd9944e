import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { expect, test } from 'vitest'
import { createRunId } from '../record/run-id.ts'
import { startRunProcess } from '../testing/run-stage.ts'
import { writeRecord } from '../testing/written-record.ts'

const DAY_MS = 86_400_000
const KEEP = { runs: 500, calls: 500, days: 14, bytes: 1e9 }
/** Whenever the records were made. */
const OF_ANY_AGE = { ...KEEP, days: 36_500 }

test('old runs go although one before them was made while the clock was years ahead', async () => {
  await using engine = await startMockEngine()
  await using runs = await startRunProcess(engine.url, {})
  const write = async (days: number) => {
    const time = Date.now() + days * DAY_MS
    return (await writeRecord(runs.store, { id: createRunId(time), tasks: [{ id: 'shop::count' }] })).id
  }
  // A whole row of them: within a row the oldest comes first, whenever it was made.
  for (let run = 0; run < 50; run += 1) await write(5_000)
  const old = [await write(-20), await write(-15)]
  const recent = await write(-1)
  expect(await runs.store.collect(KEEP, async () => undefined)).toMatchObject({ runs: 2 })
  const { entries } = await runs.store.list({ limit: 100 })
  const ids = entries.map((entry) => entry.kind === 'run' && entry.id)
  expect(ids).toHaveLength(51)
  expect(ids).toContain(recent)
  for (const id of old) expect(ids).not.toContain(id)
})

test('a run that goes on for long keeps none of those that came after it, and costs no looks at where they were', async () => {
  await using engine = await startMockEngine()
  await using runs = await startRunProcess(engine.url, {})
  const { index } = runs.store
  const write = (status: 'running' | 'passed') => writeRecord(runs.store, { status, tasks: [] })
  // As if some thousand had come and gone.
  const pass = (by: number) =>
    engine.call('state::update', { scope: 'runs-index', key: 'runs', ops: [{ type: 'increment', path: 'places', by }] })
  let reads = 0
  engine.onFrame(({ frame }) => {
    if (frame['type'] === 'invokefunction' && frame['function_id'] === 'state::get') reads += 1
  })
  const collect = async () => {
    reads = 0
    return await runs.store.collect({ ...OF_ANY_AGE, runs: 3 }, async () => undefined)
  }
  const long = [(await write('running')).id]
  await pass(3_000)
  long.unshift((await write('running')).id)
  await pass(6_000)
  for (let run = 0; run < 5; run += 1) await write('passed')
  await collect()
  expect(reads).toBeLessThan(110)
  expect(await collect()).toMatchObject({ runs: 4 })
  expect(await index.head()).toMatchObject({ first: 180, older: [0, 60], entries: 3 })
  await write('passed')
  expect(await collect()).toMatchObject({ runs: 1 })
  expect(reads).toBeLessThan(10)
  const { entries, cursor } = await runs.store.list({ limit: 2 })
  const rest = await runs.store.list({ limit: 5, cursor })
  const ids = [...entries, ...rest.entries].map((entry) => entry.kind === 'run' && entry.id)
  expect(ids).toHaveLength(3)
  expect(ids.slice(1)).toEqual(long)
  expect(rest).not.toHaveProperty('cursor')
})

test('a run that went on for long goes as any other when it is over', async () => {
  await using engine = await startMockEngine()
  await using runs = await startRunProcess(engine.url, {})
  const { index } = runs.store
  const { id } = await writeRecord(runs.store, { status: 'running', tasks: [] })
  const ops = [{ type: 'increment', path: 'places', by: 3_000 }]
  await engine.call('state::update', { scope: 'runs-index', key: 'runs', ops })
  await writeRecord(runs.store, { tasks: [] })
  expect(await runs.store.collect(OF_ANY_AGE, async () => undefined)).toMatchObject({ runs: 0, ended: 0 })
  expect(await index.head()).toMatchObject({ first: 60, older: [0] })
  const ended = await runs.store.collect({ ...OF_ANY_AGE, runs: 1 }, async (summary) => ({
    ...summary,
    status: 'passed',
  }))
  expect(ended).toMatchObject({ runs: 1, ended: 1 })
  expect(await index.head()).toMatchObject({ first: 60, older: [], entries: 1 })
  expect(await runs.store.read(id)).toBeUndefined()
})

test('what begins in a row that was empty while a process is waited for is kept', async () => {
  await using engine = await startMockEngine()
  await using runs = await startRunProcess(engine.url, {})
  await writeRecord(runs.store, { status: 'running', tasks: [] })
  const ops = [{ type: 'increment', path: 'places', by: 3_000 }]
  await engine.call('state::update', { scope: 'runs-index', key: 'runs', ops })
  await runs.store.collect(OF_ANY_AGE, async () => {
    for (let run = 0; run < 55; run += 1) await writeRecord(runs.store, { tasks: [] })
    return undefined
  })
  expect((await runs.store.list({ limit: 100 })).entries).toHaveLength(56)
  expect((await runs.store.index.head()).entries).toBe(56)
})

test('calls are counted anew when somebody collects, and not with every run that is one too many', async () => {
  await using engine = await startMockEngine()
  await using shop = registerWorker(engine.url, { name: 'shop', log: createLog({ name: 'shop', level: 'silent' }) })
  shop.registerFunction('shop::count', () => ({ orders: 3 }))
  await shop.ready({ timeoutMs: 5000 })
  await using runs = await startRunProcess(engine.url, { count: { targets: ['shop::count'] } }, { keepRuns: 1 })
  const change = { scope: 'runs-index', key: 'calls', ops: [{ type: 'set', path: 'entries', value: 7 }] }
  await engine.call('state::update', change)
  await runs.run('count')
  await runs.run('count')
  expect(await runs.store.index.head()).toMatchObject({ entries: 1 })
  expect(await runs.store.calls.head()).toMatchObject({ entries: 7 })
  await runs.runner.collect()
  expect(await runs.store.calls.head()).toMatchObject({ entries: 0 })
})

test('the end of a run reads as many rows as it takes to find those that are too many', async () => {
  await using engine = await startMockEngine()
  await using shop = registerWorker(engine.url, { name: 'shop', log: createLog({ name: 'shop', level: 'silent' }) })
  shop.registerFunction('shop::count', () => ({ orders: 3 }))
  await shop.ready({ timeoutMs: 5000 })
  const jobs = { count: { targets: ['shop::count'] } }
  await using runs = await startRunProcess(engine.url, jobs, { keepRuns: 150, keepDays: 3650 })
  for (let run = 0; run < 150; run += 1) await writeRecord(runs.store, { tasks: [] })
  const rows: unknown[] = []
  engine.onFrame(({ frame }) => {
    const { key } = (frame['data'] ?? {}) as { key?: string }
    if (frame['function_id'] === 'state::get' && /^runs-\d+$/.test(key ?? '')) rows.push(key)
  })
  await runs.run('count')
  expect(rows).toEqual(['runs-0'])
  expect(await runs.store.index.head()).toMatchObject({ entries: 150, first: 0 })
  expect((await runs.store.index.read(0)).length).toBe(49)
})

test('the end of a run removes what is too large together, though it reads a part of it alone', async () => {
  await using engine = await startMockEngine()
  await using runs = await startRunProcess(engine.url, {})
  const { index } = runs.store
  for (let run = 0; run < 120; run += 1) {
    const { id } = await writeRecord(runs.store, { tasks: [] })
    const [summary] = (await index.read(Math.floor(run / 50))).filter((each) => each.id === id)
    if (summary !== undefined) await index.update(Math.floor(run / 50), { ...summary, bytes: 1_000 })
    await index.count(1_000)
  }
  const keep = { ...OF_ANY_AGE, bytes: 100_000 }
  expect(await runs.store.collectSurplus(keep, async () => undefined)).toMatchObject({ runs: 20 })
  expect(await index.head()).toMatchObject({ entries: 100, bytes: 100_000 })
})
