import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { manyLooks, QUICK_LOOKS, type Shop, serves, stageShops, standsBy } from '../testing/shops.ts'

/** Where the first to register an id keeps it, and a name is for one worker. */
const stage23 = () => stageShops(() => startMockEngine({ engine: '0.23' }))
const WITHIN = { timeout: 10_000, interval: 5 }
const all = (who: string) => [who, who, who]

const nameOf = ({ worker }: Shop) => `shop-${worker.instance.slice(0, 8)}`

describe('a second process of a worker, where the first keeps what it has', () => {
  it('stands by as soon as it is there, says so once, and takes nothing, no route either', async () => {
    await using stage = await stage23()
    const older = await stage.open('older')
    await vi.waitFor(async () => expect(await stage.route()).toBe('older'), WITHIN)
    const newer = await stage.open('newer')
    await standsBy(newer)
    expect(await stage.servers()).toEqual(all('older'))
    expect(await stage.route()).toBe('older')
    expect(newer.worker.ownership).toMatchObject({
      lost: expect.arrayContaining(['shop::buy', 'shop::sell', 'shop::who']),
      owner: { name: 'shop', workerId: older.worker.workerId, pid: process.pid },
    })
    const [named, standing, ...more] = newer.log.messages('warn')
    expect(named).toContain(`has the name 'shop' in namespace 'default' already; this process is '${nameOf(newer)}'`)
    expect(standing).toContain(
      'has shop::buy, shop::sell, shop::who already and gets the calls; this process stands by',
    )
    expect(more).toEqual([])
    expect([newer.log.messages('error'), newer.states, older.states]).toEqual([[], ['standby'], []])
    await newer.worker.shutdown()
    expect(await stage.route()).toBe('older')
  })

  it('serves when the first leaves: functions, route, trigger type and what is bound to it', async () => {
    await using stage = await stage23()
    const subscription = stage.caller.registerTrigger({ type: 'shop::on-change', function_id: 'caller::hears' })
    const older = await stage.open('older')
    await vi.waitFor(() => expect([...older.bound]).toEqual([subscription.id]), WITHIN)
    const newer = await stage.open('newer')
    await standsBy(newer)
    expect([...newer.bound]).toEqual([])
    await older.worker.shutdown()
    await serves(newer)
    expect(newer.log.messages('info')).toEqual([
      expect.stringMatching(/^this process serves now: worker 'shop' \(.+\) had its functions first$/),
    ])
    expect(await stage.servers()).toEqual(all('newer'))
    await vi.waitFor(async () => expect(await stage.route()).toBe('newer'), WITHIN)
    await vi.waitFor(() => expect([...newer.bound]).toEqual([subscription.id]), WITHIN)
  })

  it('stands by also behind one that says nothing of itself', async () => {
    await using stage = await stage23()
    const stranger = await stage.connect({ name: 'stranger' })
    // Its registrations carry no nonce that a card stands behind.
    stranger.registerFunction('shop::buy', () => ({ who: 'stranger' }))
    await stranger.ready()
    const shop = await stage.open('shop')
    await standsBy(shop)
    expect(await stage.servers()).toEqual(['stranger', 'shop', 'shop'])
    await stranger.shutdown()
    await serves(shop)
    expect(await stage.servers()).toEqual(all('shop'))
  })
})

describe('the name of a worker', () => {
  const rowOf = async ({ caller }: Awaited<ReturnType<typeof stage23>>, { worker }: Shop) => {
    const { workers } = await caller.trigger<{ workers: { id: string; name: string }[] }>({
      function_id: 'engine::workers::list',
    })
    return workers.find(({ id }) => id === worker.workerId)?.name
  }

  it('is that of the second process once the first has left and it serves, on the same connection', async () => {
    await using stage = await stage23()
    const older = await stage.open('older')
    const newer = await stage.open('newer')
    await standsBy(newer)
    const id = newer.worker.workerId
    expect(await rowOf(stage, newer)).toBe(nameOf(newer))
    await older.worker.shutdown()
    await vi.waitFor(async () => expect(await rowOf(stage, newer)).toBe('shop'), WITHIN)
    expect([newer.worker.workerId, newer.worker.ownership.state]).toEqual([id, 'serving'])
    const message = "nobody has the name 'shop' any more; this process is 'shop' from now on"
    // The name of the logger is in the same line.
    expect(newer.log.lines).toContainEqual({ level: 'info', message, fields: {} })
    // Its card says so, too.
    const third = await stage.open('third')
    await standsBy(third)
    await vi.waitFor(() => expect(third.worker.ownership.owner).toMatchObject({ name: 'shop', workerId: id }), WITHIN)
  })

  it('is never that of a second process as long as a worker has it, whatever that serves', async () => {
    await using stage = await stage23()
    const holder = await stage.connect({ name: 'shop' })
    const second = await stage.open('second')
    await vi.waitFor(async () => expect(await stage.servers()).toEqual(all('second')), WITHIN)
    await manyLooks(stage)
    expect(await rowOf(stage, second)).toBe(nameOf(second))
    await holder.shutdown()
    await vi.waitFor(async () => expect(await rowOf(stage, second)).toBe('shop'), WITHIN)
  })
})

describe('two processes that have a part each', () => {
  it('leave everything to the one with the first function', async () => {
    await using stage = await stage23()
    const watchOwnership = { ...QUICK_LOOKS, deferMs: 300 }
    const one = await stage.connect({ name: 'shop', watchOwnership })
    const other = await stage.connect({ name: 'shop', watchOwnership })
    const offer = (worker: typeof one, who: string, id: string) => worker.registerFunction(id, () => ({ who }))
    offer(one, 'one', 'shop::buy')
    await one.ready()
    offer(other, 'other', 'shop::sell')
    offer(other, 'other', 'shop::who')
    other.registerTrigger({ type: 'http', function_id: 'shop::who', config: { api_path: '/who' } })
    await other.ready()
    for (const id of ['shop::sell', 'shop::who']) offer(one, 'one', id)
    one.registerTrigger({ type: 'http', function_id: 'shop::who', config: { api_path: '/who' } })
    offer(other, 'other', 'shop::buy')
    await vi.waitFor(async () => expect(await stage.servers()).toEqual(all('one')), 2_000)
    await vi.waitFor(() => expect([one, other].map(({ ownership }) => ownership.state)).toEqual(['serving', 'standby']))
    await vi.waitFor(async () => expect((await fetch(`${stage.engine.httpUrl}/who`)).status).toBe(200), WITHIN)
    // What the other had is forgotten with it, and it is not: a request still comes to the one.
    await other.shutdown()
    expect(await stage.servers()).toEqual(all('one'))
    expect((await fetch(`${stage.engine.httpUrl}/who`)).status).toBe(200)
  })
})

describe('a worker that defers to others and came first', () => {
  it('gives everything to one that does not', async () => {
    await using stage = await stage23()
    const watchOwnership = { ...QUICK_LOOKS, deferMs: 300 }
    const locked = await stage.open('locked', { defers: true, watchOwnership })
    await locked.worker.ready()
    expect(await stage.servers()).toEqual(all('locked'))
    const healthy = await stage.open('healthy', { watchOwnership })
    await vi.waitFor(async () => expect(await stage.servers()).toEqual(all('healthy')), WITHIN)
    await standsBy(locked)
    await serves(healthy)
    await vi.waitFor(async () => expect(await stage.route()).toBe('healthy'), WITHIN)
  })
})

describe('workers of two namespaces', () => {
  it('have the same name, functions and types without one knowing of the other', async () => {
    await using stage = await stage23()
    const here = await stage.open('here')
    const there = await stage.open('there', { namespace: 'orders' })
    await there.worker.ready()
    const ask = (namespace: string) => stage.caller.trigger({ function_id: 'shop::who', namespace })
    expect(await Promise.all(['default', 'orders'].map(ask))).toMatchObject([{ who: 'here' }, { who: 'there' }])
    expect(await there.worker.trigger({ function_id: 'shop::who' })).toMatchObject({ who: 'there' })
    expect(await there.worker.trigger({ function_id: 'engine::health::check' })).toMatchObject({ status: 'healthy' })
    await here.worker.shutdown()
    await expect(ask('default')).rejects.toMatchObject({ code: 'function_not_found' })
    expect(await ask('orders')).toMatchObject({ who: 'there' })
    expect([here.states, there.states, there.log.messages('warn')]).toEqual([[], [], []])
  })

  it('bind their routes to their own functions, and fire what is bound there', async () => {
    await using stage = await stage23()
    const shop = await stage.connect({ name: 'shop', namespace: 'orders' })
    shop.registerFunction('shop::who', () => ({ body: { who: 'orders' } }))
    shop.registerTrigger({ type: 'http', function_id: 'shop::who', config: { api_path: '/who' } })
    const bindings: unknown[] = []
    shop.registerTriggerType(
      { id: 'shop::on-change' },
      { registerTrigger: (binding) => void bindings.push(binding), unregisterTrigger: () => undefined },
    )
    await shop.ready()
    shop.registerTrigger({ type: 'shop::on-change', function_id: 'shop::who' })
    shop.registerTrigger({ type: 'shop::on-change', function_id: 'shop::other', namespace: 'default' })
    await vi.waitFor(() => expect(bindings).toHaveLength(2), WITHIN)
    expect(bindings).toMatchObject([
      { function_id: 'shop::who', namespace: 'orders' },
      { function_id: 'shop::other', namespace: 'default' },
    ])
    expect(await (await fetch(`${stage.engine.httpUrl}/who`)).json()).toEqual({ who: 'orders' })
  })
})
