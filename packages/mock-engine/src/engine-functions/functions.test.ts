import { expect, it } from 'vitest'
import { startMockEngine } from '../engine.ts'

it('functions of one worker and functions of several are listed together', async () => {
  await using engine = await startMockEngine()
  const { functions } = await engine.call<{ functions: { worker_name: string }[] }>('engine::functions::list', {
    worker: 'iii-state',
    workers: ['configuration'],
  })
  expect([...new Set(functions.map((row) => row.worker_name))]).toEqual(['configuration', 'iii-state'])
})

it.each([
  ['x', 'invalid type: string "x", expected struct WorkerConnectionTelemetryMeta'],
  [[], 'invalid length 0, expected struct WorkerConnectionTelemetryMeta with 3 elements'],
  [{ language: 1 }, 'invalid type: integer `1`, expected a string'],
])('what a worker says of its project is refused when it is %j', async (telemetry, reason) => {
  await using engine = await startMockEngine()
  await expect(engine.call('engine::workers::register', { telemetry })).rejects.toThrow(reason)
})

it('what calls functions of the engine is listed only when it is asked for', async () => {
  await using engine = await startMockEngine()
  const target = 'engine::workers::list'
  await engine.call('engine::register_trigger', { trigger_type: 'log', function_id: target, config: {} })
  const list = (input: object) => engine.call('engine::registered-triggers::list', { function_id: target, ...input })
  expect(await list({})).toEqual({ registered_triggers: [] })
  expect(await list({ include_internal: true })).toMatchObject({ registered_triggers: [{ function_id: target }] })
})
