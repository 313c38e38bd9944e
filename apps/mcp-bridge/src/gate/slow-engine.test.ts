import { startMockEngine } from '@iii/mock-engine'
import { registerWorker } from '@iii/sdk'
import { expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { startBridge } from '../testing/bridge.ts'

it('the list of all functions is waited for longer than other things that an engine is asked', async () => {
  await using engine = await startMockEngine()
  await using worker = registerWorker(engine.url, { name: 'orders' })
  worker.registerFunction('orders::list', () => 'three orders')
  await worker.ready()
  engine.inject({ fault: 'delay-call', function: 'engine::functions::list', ms: 1_000 })
  const options = { auth: AuthBlock.parse({ mode: 'off' }) }
  await using bridge = await startBridge(engine, { options, limits: { engineTimeoutMs: 500 } })
  const listed = await bridge.rpc('tools/list', {})
  expect(listed.message.result).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ name: 'orders__list' })]),
  })
  const called = await bridge.rpc('tools/call', { name: 'orders__list', arguments: {} })
  expect(called.message.result).toMatchObject({ content: [{ type: 'text', text: 'three orders' }] })
})

it('so is what it says of those that are listed', async () => {
  await using engine = await startMockEngine()
  await using worker = registerWorker(engine.url, { name: 'orders' })
  worker.registerFunction('orders::list', () => 'three orders')
  await worker.ready()
  engine.inject({ fault: 'delay-call', function: 'engine::functions::info', ms: 1_000 })
  await using bridge = await startBridge(engine, { limits: { engineTimeoutMs: 500 } })
  const listed = await bridge.rpc('tools/list', {})
  expect(listed.message.result).toMatchObject({
    tools: expect.arrayContaining([expect.objectContaining({ name: 'orders__list' })]),
  })
})
