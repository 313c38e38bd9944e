import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { STATE_SCOPES } from '@iii/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunProcess, startRunProcess } from '../testing/run-stage.ts'

let engine: MockEngine
let runs: RunProcess
let called: number
let closed: Promise<void> | undefined

beforeEach(async () => {
  engine = await startMockEngine()
  runs = await startRunProcess(engine.url, { count: { targets: ['shop::count'] } })
  called = 0
  closed = undefined
  runs.worker.registerFunction('shop::count', () => {
    called += 1
  })
  await runs.worker.ready()
})
afterEach(async () => {
  await runs[Symbol.asyncDispose]()
  await engine.close()
})

const close = () => {
  closed ??= runs.runner.close()
}

test('a process that ends while it looks at a job again runs nothing any more', async () => {
  let asked = 0
  const check = () => {
    asked += 1
    if (asked > 1) close()
  }
  const refusal = await runs.refusal('count', { waitMs: 60_000, check })
  expect(refusal).toBe('unavailable: this process ends: nothing was run')
  await closed
  expect(called).toBe(0)
  expect(await runs.locks.look('default')).toBeUndefined()
})

test('a process that ends while the beginning of a run is written has cancelled it then', async () => {
  engine.onFrame(({ frame: { function_id: id, data } }) => {
    const { scope } = { ...(data as { scope?: string } | undefined) }
    if (id === 'state::set' && scope === STATE_SCOPES.runs.runs) close()
  })
  const { id } = await runs.start('count')
  await closed
  expect((await runs.store.read(id))?.record).toMatchObject({ status: 'cancelled', exit_code: 143 })
  expect(called).toBe(0)
})
