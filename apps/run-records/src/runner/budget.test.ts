import { startMockEngine } from '@iii/mock-engine'
import { createLog, registerWorker } from '@iii/sdk'
import { expect, test } from 'vitest'
import { startRunProcess } from '../testing/run-stage.ts'

test('a task costs four calls of the engine at most, beside its own', async () => {
  await using engine = await startMockEngine()
  await using shop = registerWorker(engine.url, { name: 'shop', log: createLog({ name: 'shop', level: 'silent' }) })
  const ids = Array.from({ length: 12 }, (_, at) => `shop::t${at}`)
  for (const id of ids) shop.registerFunction(id, () => ({ id }), { metadata: { 'runs.cache': { ttl_ms: 60_000 } } })
  await shop.ready({ timeoutMs: 5000 })
  const jobs = { few: { targets: ids.slice(0, 2) }, many: { targets: ids.slice(2) }, all: { targets: ids } }
  await using runs = await startRunProcess(engine.url, jobs)
  let calls = 0
  engine.onFrame(({ direction, frame }) => {
    if (direction === 'in' && frame['type'] === 'invokefunction') calls += 1
  })
  const cost = async (job: string, force: boolean) => {
    calls = 0
    await runs.run(job, { force })
    return calls
  }
  const few = await cost('few', false)
  const many = await cost('many', false)
  expect(few).toBeGreaterThan(0)
  expect((many - few) / 8 - 1).toBeLessThanOrEqual(4)
  const cached = await cost('all', false)
  expect((cached - few) / 10).toBeLessThanOrEqual(4)
})
