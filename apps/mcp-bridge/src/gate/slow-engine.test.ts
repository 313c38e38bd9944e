import { startMockEngine } from '@iii/mock-engine'
import { registerWorker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { startBridge } from '../testing/bridge.ts'

/** A bridge that waits half a second for an engine, and asks it something that takes twice as long. */
async function startSlow(asked: string) {
  const engine = await startMockEngine()
  const worker = registerWorker(engine.url, { name: 'orders' })
  worker.registerFunction('orders::list', () => 'three orders')
  await worker.ready()
  const slow = engine.inject({ fault: 'delay-call', function: asked, ms: 1_000 })
  const options = { auth: AuthBlock.parse({ mode: 'off' }) }
  const bridge = await startBridge(engine, { options, limits: { engineTimeoutMs: 500 } })
  return {
    bridge,
    slow,
    async [Symbol.asyncDispose]() {
      await bridge[Symbol.asyncDispose]()
      await worker.shutdown()
      await engine[Symbol.asyncDispose]()
    },
  }
}

it('the list of all functions is waited for longer than other things that an engine is asked', async () => {
  await using stage = await startSlow('engine::functions::list')
  expect(await stage.bridge.toolNames()).toContain('orders__list')
  expect(stage.slow.struck).toBeGreaterThan(0)
  expect((await stage.bridge.call('orders__list')).content).toEqual([{ type: 'text', text: 'three orders' }])
})

it('so is what it says of those that are listed', async () => {
  await using stage = await startSlow('engine::functions::info')
  expect(await stage.bridge.toolNames()).toContain('orders__list')
  expect(stage.slow.struck).toBeGreaterThan(0)
})
