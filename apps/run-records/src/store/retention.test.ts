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
