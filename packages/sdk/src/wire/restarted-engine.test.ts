import { type MockEngineOptions, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'

import { startMockStage } from '../testing/mock-stage.ts'

/** A worker that reconnects at once and notices death soon. */
const LIVELY = { name: 'orders', timings: { firstRetryMs: 20, retryMs: 40, pingEveryMs: 50, deadAfterMs: 400 } }

function startStage(options: MockEngineOptions = {}) {
  return startMockStage(() => startMockEngine(options))
}

describe('an engine that restarts', () => {
  it.each(['lose', 'keep'] as const)(
    'and its state (%s): everything is registered again, nothing needs to be done',
    async (state) => {
      await using stage = await startStage()
      const callee = await stage.connect(LIVELY)
      callee.registerFunction('orders::count', () => 3)
      callee.registerTrigger({ type: 'http', function_id: 'orders::count', config: { api_path: 'count' } })
      await callee.ready()
      const stored = { scope: 's', key: 'k' }
      await callee.trigger({ function_id: 'state::set', payload: { ...stored, value: 1 } })
      await stage.engine.restart({ state, downMs: 50 })
      await vi.waitFor(async () => expect(await stage.engine.call('orders::count')).toBe(3), 5_000)
      await callee.ready({ timeoutMs: 5_000 })
      expect((await fetch(`${stage.engine.httpUrl}/count`)).status).toBe(200)
      const value = await callee.trigger({ function_id: 'state::get', payload: stored })
      expect(value).toBe(state === 'keep' ? 1 : undefined)
    },
  )

  it('keeps calls that are made while it is down, for when it is back', async () => {
    await using stage = await startStage()
    const caller = await stage.connect(LIVELY)
    const back = stage.engine.restart({ downMs: 100 })
    await vi.waitFor(() => expect(caller.state).toBe('connecting'))
    expect(await caller.trigger({ function_id: 'engine::health::check' })).toMatchObject({ status: 'healthy' })
    await back
  })
})
