import { startMockEngine } from '@iii/mock-engine'
import { expect, test } from 'vitest'
import { createRunId } from '../record/run-id.ts'
import { startRunProcess } from '../testing/run-stage.ts'
import { writeRecord } from '../testing/written-record.ts'

const DAY_MS = 86_400_000
const KEEP = { runs: 500, calls: 500, days: 14, bytes: 1e9 }

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

test('a run that goes on for long keeps none of those that came after it', async () => {
  await using engine = await startMockEngine()
  await using runs = await startRunProcess(engine.url, {})
  const { index } = runs.store
  const write = (status: 'running' | 'passed') => writeRecord(runs.store, { status, tasks: [] })
  const { id } = await write('running')
  // As if some thousand had come and gone meanwhile.
  await engine.call('state::update', {
    scope: 'runs-index',
    key: 'runs',
    ops: [{ type: 'increment', path: 'places', by: 3_000 }],
  })
  for (let run = 0; run < 5; run += 1) await write('passed')
  expect(await runs.store.collect({ ...KEEP, runs: 2 }, async () => undefined)).toMatchObject({ runs: 4 })
  expect(await index.head()).toMatchObject({ first: 0, entries: 2 })
  expect((await index.read(0)).map((summary) => summary.id)).toEqual([id])
})
