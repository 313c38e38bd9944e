import { type EngineGeneration, startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import type { AskEngine } from '../engine/call.ts'
import { startMockStage } from '../testing/mock-stage.ts'
import { findOwner } from './find-owner.ts'

describe.each<EngineGeneration>(['0.22', '0.23'])('whose a function is, on an engine like %s', (engine) => {
  it('is told of the namespace that is asked for, and of no other', async () => {
    await using stage = await startMockStage(() => startMockEngine({ engine }))
    const [here, there] = [
      await stage.connect({ name: 'here', watchOwnership: true }),
      await stage.connect({ name: 'there', namespace: 'orders' }),
    ]
    here.registerFunction('shop::here', () => null)
    there.registerFunction('shop::there', () => null)
    await Promise.all([here.ready(), there.ready()])
    const ask: AskEngine = (function_id, payload) => here.trigger({ function_id, payload })
    const isDivided = engine === '0.23'
    expect(await findOwner(ask, 'shop::here')).toMatchObject({ instance: here.instance, owner: { name: 'here' } })
    expect((await findOwner(ask, 'shop::there')) === undefined).toBe(isDivided)
    expect((await findOwner(ask, 'shop::here', 'orders')) === undefined).toBe(isDivided)
    expect(await findOwner(ask, 'shop::there', 'orders')).toMatchObject({ instance: there.instance })
  })
})
