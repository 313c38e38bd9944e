import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { startMockStage } from '../testing/mock-stage.ts'

const config = { expression: '0 0 0 1 1 *' }

describe('a trigger', () => {
  it('of a type that nobody provides is warned of once, with the nearest that there is', async () => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    worker.registerFunction('tea::menu', () => ({}))
    worker.registerTrigger({ type: 'htpp', function_id: 'tea::menu', config: { api_path: 'menu' } })
    await worker.ready()
    const warned = ["nobody provides triggers of type 'htpp' yet; did you mean 'http'?"]
    await vi.waitFor(() => expect(stage.log.messages('warn')).toEqual(warned))
    worker.registerTrigger({ type: 'htpp', function_id: 'tea::menu' })
    worker.registerTrigger({ type: 'kettle', function_id: 'tea::menu' })
    await worker.ready()
    warned.push("nobody provides triggers of type 'kettle' yet")
    await vi.waitFor(() => expect(stage.log.messages('warn')).toEqual(warned))
  })

  it('for a function that nobody has is warned of once, with the nearest of this worker', async () => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    worker.registerTrigger({ type: 'cron', function_id: 'tea::menuu', config })
    worker.registerFunction('tea::menu', () => ({}))
    await worker.ready()
    const warned = ["a trigger calls 'tea::menuu', which nobody has yet; did you mean 'tea::menu'?"]
    await vi.waitFor(() => expect(stage.log.messages('warn')).toEqual(warned))
    await worker.ready()
    worker.registerTrigger({ type: 'cron', function_id: 'other::thing', config })
    await worker.ready()
    warned.push("a trigger calls 'other::thing', which nobody has yet")
    await vi.waitFor(() => expect(stage.log.messages('warn')).toEqual(warned))
  })

  it("of a type and for a function of others, or of a type that may be nobody's, is nothing to warn of", async () => {
    await using stage = await startMockStage(startMockEngine)
    const other = await stage.connect()
    other.registerTriggerType(
      { id: 'tea::ready' },
      { registerTrigger: () => undefined, unregisterTrigger: () => undefined },
    )
    other.registerFunction('other::thing', () => ({}))
    await other.ready()
    const worker = await stage.connect()
    worker.registerTrigger({ type: 'tea::ready', function_id: 'other::thing' })
    worker.registerTrigger({ type: 'cron', function_id: 'state::list', config })
    await worker.ready()
    worker.registerTrigger({ type: 'tea::cold', function_id: 'other::thing', optional: true })
    worker.registerTrigger({ type: 'last', function_id: 'other::thing' })
    await worker.ready()
    // Both are asked for in order, so what comes of the last tells that nothing came of the others.
    await vi.waitFor(() => expect(stage.log.messages('warn')).toEqual(["nobody provides triggers of type 'last' yet"]))
  })

  it('for a function is looked for where it is called, and nowhere else', async () => {
    await using stage = await startMockStage(() => startMockEngine({ engine: '0.23' }))
    const offer = async (namespace: string | undefined, id: string) => {
      const other = await stage.connect({ namespace })
      other.registerFunction(id, () => ({}))
      await other.ready()
    }
    await offer('orders', 'billing::run')
    await offer('shop', 'billing::run')
    await offer('shop', 'shop::only')
    await offer('shop', 'shop::also')
    await offer(undefined, 'base::only')
    const worker = await stage.connect({ namespace: 'orders' })
    worker.registerFunction('shop::also', () => ({}))
    worker.registerTrigger({ type: 'cron', function_id: 'billing::run', config })
    worker.registerTrigger({ type: 'cron', function_id: 'shop::only', namespace: 'shop', config })
    worker.registerTrigger({ type: 'cron', function_id: 'base::only', namespace: 'default', config })
    worker.registerTrigger({ type: 'cron', function_id: 'shop::only', config })
    worker.registerTrigger({ type: 'cron', function_id: 'shop::also', namespace: 'default', config })
    await worker.ready()
    const warned = [
      "a trigger calls 'shop::also' in 'default', where nobody has it yet",
      "a trigger calls 'shop::only', which nobody has yet",
    ]
    await vi.waitFor(() => expect(stage.log.messages('warn').toSorted()).toEqual(warned))
  })

  it('for a function is looked for however many there are', async () => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    for (let nth = 0; nth < 40; nth++) worker.registerTrigger({ type: 'cron', function_id: `no::f${nth}`, config })
    await worker.ready()
    await vi.waitFor(() => expect(stage.log.messages('warn')).toHaveLength(40))
  })
})
