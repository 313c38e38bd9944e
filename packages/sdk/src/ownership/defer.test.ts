import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { QUICK_LOOKS, serves, stageShops, standsBy } from '../testing/shops.ts'

const WITHIN = { timeout: 10_000, interval: 5 }
const watchOwnership = { ...QUICK_LOOKS, deferMs: 200 }

describe('a worker that defers to others', () => {
  it('takes nothing from one that serves, and serves when that leaves', async () => {
    await using stage = await stageShops(startMockEngine)
    const healthy = await stage.open('healthy')
    const locked = await stage.open('locked', { defers: true, watchOwnership })
    await locked.worker.ready()
    expect(locked.worker.ownership).toMatchObject({ state: 'standby', owner: { workerId: healthy.worker.workerId } })
    expect(await stage.servers()).toEqual(['healthy', 'healthy', 'healthy'])
    expect(await stage.route()).toBe('healthy')
    expect(healthy.states).toEqual([])
    await healthy.worker.shutdown()
    await serves(locked)
    expect(await stage.servers()).toEqual(['locked', 'locked', 'locked'])
    expect(await stage.route()).toBe('locked')
    expect(locked.log.messages('info').at(-1)).toMatch(
      /^this process serves now: worker 'shop' .+ had its functions first$/,
    )
  })

  it('serves at once where nobody does, is there when it is ready, and gives way to one that comes', async () => {
    await using stage = await stageShops(startMockEngine)
    const locked = await stage.open('locked', { defers: true, watchOwnership })
    await locked.worker.ready()
    expect(await stage.servers()).toEqual(['locked', 'locked', 'locked'])
    await vi.waitFor(async () => expect(await stage.route()).toBe('locked'), WITHIN)
    await stage.open('healthy')
    await standsBy(locked)
    expect(await stage.servers()).toEqual(['healthy', 'healthy', 'healthy'])
  })

  it('leaves it to a healthy one that stands by to follow the one that left', async () => {
    await using stage = await stageShops(startMockEngine)
    const older = await stage.open('older')
    const newer = await stage.open('newer')
    await standsBy(older)
    const locked = await stage.open('locked', { defers: true, watchOwnership })
    await locked.worker.ready()
    await newer.worker.shutdown()
    await serves(older)
    expect(await stage.servers()).toEqual(['older', 'older', 'older'])
    expect(locked.worker.ownership.state).toBe('standby')
  })

  it('takes everything over when it claims', async () => {
    await using stage = await stageShops(startMockEngine)
    const healthy = await stage.open('healthy')
    const locked = await stage.open('locked', { defers: true, watchOwnership })
    await locked.worker.ready()
    locked.worker.claim()
    await serves(locked)
    await standsBy(healthy)
    expect(await stage.servers()).toEqual(['locked', 'locked', 'locked'])
    expect(await stage.route()).toBe('locked')
    const subscription = stage.caller.registerTrigger({ type: 'shop::on-change', function_id: 'caller::hears' })
    await vi.waitFor(() => expect([...locked.bound]).toEqual([subscription.id]), WITHIN)
  })

  it.each(['0.22', '0.23'] as const)(
    'gives up what it had, once it defers, to one that wants it (engine %s)',
    async (engine) => {
      await using stage = await stageShops(() => startMockEngine({ engine }))
      const open = await stage.open('open', { watchOwnership })
      const guard = await stage.open('guard', { watchOwnership })
      open.worker.defer()
      await serves(guard)
      await vi.waitFor(async () => expect(await stage.servers()).toEqual(['guard', 'guard', 'guard']), WITHIN)
      await vi.waitFor(async () => expect(await stage.route()).toBe('guard'), WITHIN)
      await guard.worker.shutdown()
      await serves(open)
      const back = await stage.open('back', { watchOwnership })
      await serves(back)
      await vi.waitFor(async () => expect(await stage.servers()).toEqual(['back', 'back', 'back']), WITHIN)
      open.worker.claim()
      await back.worker.shutdown()
      await vi.waitFor(async () => expect(await stage.route()).toBe('open'), WITHIN)
    },
  )
})
