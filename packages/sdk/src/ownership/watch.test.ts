import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { manyLooks, QUICK_LOOKS, serves, stageShops, standsBy } from '../testing/shops.ts'

/** What is waited for comes within moments; on a busy machine within seconds. */
const WITHIN = { timeout: 10_000, interval: 5 }

describe('a worker whose twin comes', () => {
  it('leaves everything to it, and says so once, with who that is', async () => {
    await using stage = await stageShops(startMockEngine)
    const older = await stage.open('older')
    const newer = await stage.open('newer')
    await standsBy(older)
    expect(await stage.servers()).toEqual(['newer', 'newer', 'newer'])
    expect(older.worker.ownership).toEqual({
      state: 'standby',
      since: expect.any(Date),
      lost: expect.arrayContaining(['shop::buy', 'shop::sell', 'shop::who']),
      owner: expect.objectContaining({
        name: 'shop',
        version: '1.2.3',
        pid: process.pid,
        workerId: newer.worker.workerId,
      }),
    })
    // It looks again and again, and neither fights nor repeats itself.
    await manyLooks(stage)
    expect(await stage.servers()).toEqual(['newer', 'newer', 'newer'])
    const [line, ...more] = older.log.messages('warn')
    expect(more).toEqual([])
    expect(line).toContain(`worker 'shop' (id ${newer.worker.workerId}, version 1.2.3, pid ${process.pid} on `)
    expect(line).toContain('registered shop::buy, shop::sell, shop::who after this process')
    expect(line).toContain('stop one of them')
    expect(older.states).toEqual(['standby'])
    expect(newer.states).toEqual([])
  })

  it('is named by the twin, once', async () => {
    await using stage = await stageShops(startMockEngine)
    const older = await stage.open('older')
    const newer = await stage.open('newer')
    await vi.waitFor(() => expect(newer.log.messages('warn')).toHaveLength(1), WITHIN)
    expect(newer.log.messages('warn')[0]).toContain(
      `runs more than once on this engine: worker 'shop' (id ${older.worker.workerId}`,
    )
    expect(newer.worker.ownership).toMatchObject({ state: 'serving', lost: [], owner: undefined })
  })

  it('serves again when the twin leaves: functions, route, trigger type and what is bound to it', async () => {
    await using stage = await stageShops(startMockEngine)
    const subscription = stage.caller.registerTrigger({ type: 'shop::on-change', function_id: 'caller::hears' })
    const older = await stage.open('older')
    await vi.waitFor(() => expect([...older.bound]).toEqual([subscription.id]), WITHIN)
    const newer = await stage.open('newer')
    await standsBy(older)
    const second = stage.caller.registerTrigger({ type: 'shop::on-change', function_id: 'caller::hears' })
    await vi.waitFor(() => expect(newer.bound.size).toBe(2), WITHIN)
    subscription.unregister()
    await vi.waitFor(() => expect([...newer.bound]).toEqual([second.id]), WITHIN)
    expect([...older.bound]).toEqual([subscription.id])
    await newer.worker.shutdown()
    await serves(older)
    expect(await stage.servers()).toEqual(['older', 'older', 'older'])
    expect(await stage.route()).toBe('older')
    await vi.waitFor(() => expect([...older.bound]).toEqual([second.id]), WITHIN)
    expect(older.states).toEqual(['standby', 'returning', 'serving'])
    expect(older.log.messages('info')).toEqual([expect.stringContaining('this process serves again')])
  })
})

describe('a worker on standby', () => {
  it('gets ready before it serves, and is waited for', async () => {
    await using stage = await stageShops(startMockEngine)
    const older = await stage.open('older', { watchOwnership: { ...QUICK_LOOKS, listenersMs: 10_000 } })
    const newer = await stage.open('newer')
    await standsBy(older)
    let getReady: () => void = () => undefined
    const readiness = new Promise<void>((resolve) => {
      getReady = resolve
    })
    older.worker.onOwnershipChange(({ state }) => (state === 'returning' ? readiness : undefined))
    await newer.worker.shutdown()
    await vi.waitFor(() => expect(older.worker.ownership.state).toBe('returning'), WITHIN)
    expect(await stage.servers()).toEqual(Array(3).fill('function_not_found'))
    getReady()
    await serves(older)
    expect(await stage.servers()).toEqual(['older', 'older', 'older'])
  })

  it('serves also when getting ready fails or takes for ever', async () => {
    await using stage = await stageShops(startMockEngine)
    const older = await stage.open('older', { watchOwnership: { ...QUICK_LOOKS, listenersMs: 50 } })
    const newer = await stage.open('newer')
    await standsBy(older)
    const stop = older.worker.onOwnershipChange(() => Promise.reject(new Error('no memory')))
    older.worker.onOwnershipChange(() => new Promise(() => undefined))
    await newer.worker.shutdown()
    await serves(older)
    stop()
    expect(await stage.servers()).toEqual(['older', 'older', 'older'])
    expect(older.log.messages('error')).toContain('a listener to ownership failed')
  })

  it('is followed by exactly one of several, for everything', async () => {
    await using stage = await stageShops(startMockEngine)
    stage.caller.registerTrigger({ type: 'shop::on-change', function_id: 'caller::hears' })
    let others = [...(await Promise.all([stage.open('a'), stage.open('b'), stage.open('c')]))]
    while (others.length > 1) {
      await vi.waitFor(
        () =>
          expect(others.map(({ worker }) => worker.ownership.state).sort()).toEqual([
            'serving',
            ...others.slice(1).map(() => 'standby'),
          ]),
        WITHIN,
      )
      const serving = others.find(({ worker }) => worker.ownership.state === 'serving')
      await serving?.worker.shutdown()
      others = others.filter((one) => one !== serving)
    }
    for (const last of others) await serves(last)
    expect(await stage.servers()).toEqual(Array(3).fill(others[0]?.who))
    expect(await stage.route()).toBe(others[0]?.who)
    await vi.waitFor(() => expect(others[0]?.bound.size).toBe(1), WITHIN)
  })

  it('is one of two after both lost the engine and found it again', async () => {
    await using stage = await stageShops(startMockEngine)
    const both = [await stage.open('a'), await stage.open('b')]
    await vi.waitFor(() => expect(both[0]?.worker.ownership.state).toBe('standby'), WITHIN)
    await stage.engine.restart()
    await vi.waitFor(async () => {
      const [who] = await stage.servers()
      expect(await stage.servers()).toEqual([who, who, who])
      const serving = both.filter(({ worker }) => worker.ownership.state === 'serving')
      expect(serving.map((one) => one.who)).toEqual([who])
      expect(await stage.route()).toBe(who)
    }, WITHIN)
  })
})

describe('a worker some of whose functions are taken', () => {
  it('goes on with the others, and has all again when the stranger leaves', async () => {
    await using stage = await stageShops(startMockEngine)
    const shop = await stage.open('shop')
    await manyLooks(stage)
    const stranger = await stage.connect({ name: 'squatter' })
    stranger.registerFunction('shop::sell', () => ({ who: 'squatter' }))
    await standsBy(shop)
    expect(shop.worker.ownership).toMatchObject({ lost: ['shop::sell'] })
    expect(shop.log.messages('warn')).toEqual([
      expect.stringMatching(/^probably worker '.+' registered shop::sell after/),
    ])
    await manyLooks(stage)
    expect(await stage.servers()).toEqual(['shop', 'squatter', 'shop'])
    await stranger.shutdown()
    await serves(shop)
    expect(await stage.servers()).toEqual(['shop', 'shop', 'shop'])
  })

  it('has them again when they are unregistered by one that stays', async () => {
    await using stage = await stageShops(startMockEngine)
    const shop = await stage.open('shop')
    const stranger = await stage.connect({ name: 'squatter' })
    const taken = stranger.registerFunction('shop::sell', () => ({ who: 'squatter' }))
    await standsBy(shop)
    taken.unregister()
    await serves(shop)
    expect(await stage.servers()).toEqual(['shop', 'shop', 'shop'])
  })

  it('has its route again when one with another function took it and left', async () => {
    await using stage = await stageShops(startMockEngine)
    const shop = await stage.open('shop')
    await manyLooks(stage)
    const stranger = await stage.connect({ name: 'squatter' })
    stranger.registerFunction('squatter::page', () => ({ body: { who: 'squatter' } }))
    stranger.registerTrigger({ type: 'http', function_id: 'squatter::page', config: { api_path: 'who' } })
    await vi.waitFor(() => expect(shop.log.messages('warn')).toHaveLength(1), WITHIN)
    expect(shop.log.messages('warn')[0]).toContain(
      'the route GET /who is bound to the function squatter::page of another worker too',
    )
    expect(await stage.route()).toBe('squatter')
    await stranger.shutdown()
    await vi.waitFor(async () => expect(await stage.route()).toBe('shop'), WITHIN)
  })
})

describe('a worker that is not watched', () => {
  it('always says that it serves, and shows no card', async () => {
    await using stage = await stageShops(startMockEngine)
    const shop = await stage.open('shop', { watchOwnership: false })
    expect(shop.worker.ownership.state).toBe('serving')
    shop.worker.onOwnershipChange(() => undefined)()
    const { functions } = await stage.caller.trigger<{ functions: unknown[] }>({
      function_id: 'engine::functions::list',
      payload: { prefix: 'iii::instance::', include_internal: true },
    })
    expect(functions).toEqual([])
  })
})
