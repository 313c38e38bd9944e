import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { startMockStage } from '../testing/mock-stage.ts'
import { startScriptedStage } from '../testing/start-worker.ts'
import type { Worker } from '../worker/worker.ts'
import { createChangeFeed } from './change-feed.ts'

interface Change {
  id: string
  n: number
}

const feedOptions = { id: 'things::on-change', description: 'Things changed' }

function subscribe(
  worker: Worker,
  functionId: string,
  handler: (change: Change, metadata: unknown) => unknown,
  metadata = {},
) {
  worker.registerFunction(functionId, handler)
  return worker.registerTrigger({ type: 'things::on-change', function_id: functionId, metadata })
}

describe('a change feed', () => {
  it.each([
    [{ timeoutMS: 5 }, "createChangeFeed has 'timeoutMS', which is not read; did you mean 'timeoutMs'?"],
    [{ key: 'id' }, 'createChangeFeed takes key as a function, not as a string'],
    [{ retryMs: 0 }, /^createChangeFeed takes retryMs as a number of milliseconds above zero, at most \d+, not as 0$/],
    [{ maxWaiting: Number.NaN }, 'createChangeFeed takes maxWaiting as a number above zero, not as NaN'],
    [{ maxSubscribers: 0 }, 'createChangeFeed takes maxSubscribers as a number above zero, not as 0'],
  ])('is not made with %j', async (wrong, message) => {
    await using stage = await startMockStage(startMockEngine)
    const worker = await stage.connect()
    expect(() => createChangeFeed(worker, { ...feedOptions, ...(wrong as object) })).toThrow(message)
  })

  it('tells every subscriber of every change in order, with the metadata of its binding', async () => {
    await using stage = await startMockStage(startMockEngine)
    const feed = createChangeFeed<Change>(await stage.connect(), feedOptions)
    const listener = await stage.connect()
    const seen: Record<string, number[]> = { one: [], two: [] }
    const metadatas: unknown[] = []
    subscribe(listener, 'listener::one', ({ n }) => void seen['one']?.push(n))
    subscribe(listener, 'listener::two', ({ n }, metadata) => void [seen['two']?.push(n), metadatas.push(metadata)], {
      m: 1,
    })
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(2))
    for (let n = 0; n < 200; n++) feed.announce({ id: 'a', n })
    const all = Array.from({ length: 200 }, (_, n) => n)
    await vi.waitFor(() => expect(seen).toEqual({ one: all, two: all }), 5_000)
    expect(metadatas[0]).toEqual({ m: 1 })
  })

  it('lets nobody wait for a subscriber that hangs, and tells it only the last state of each id then', async () => {
    await using stage = await startMockStage(startMockEngine)
    const feed = createChangeFeed<Change>(await stage.connect(), { ...feedOptions, maxWaiting: 10, log: stage.log })
    const listener = await stage.connect()
    const quick: number[] = []
    const slow: string[] = []
    let release: (value?: unknown) => void = () => undefined
    const gate = new Promise((resolve) => {
      release = resolve
    })
    subscribe(listener, 'listener::slow', ({ id, n }) => {
      slow.push(`${id}${n}`)
      return gate
    })
    subscribe(listener, 'listener::quick', ({ n }) => void quick.push(n))
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(2))
    feed.announce({ id: 'first', n: 0 })
    await vi.waitFor(() => expect(slow).toEqual(['first0']))
    for (let n = 1; n <= 5; n++) feed.announce({ id: 'a', n })
    await vi.waitFor(() => expect(quick).toEqual([0, 1, 2, 3, 4, 5]))
    for (let n = 6; n <= 100; n++) feed.announce({ id: n % 2 === 0 ? 'a' : 'b', n })
    release()
    await vi.waitFor(() => expect(slow).toEqual(['first0', 'b99', 'a100']))
    await vi.waitFor(() => expect(quick.at(-1)).toBe(100))
  })

  it('goes on after a subscriber that never answers, at its deadline', async () => {
    await using stage = await startMockStage(startMockEngine)
    const options = { ...feedOptions, timeoutMs: 30, retryMs: 10, log: stage.log }
    const feed = createChangeFeed<Change>(await stage.connect(), options)
    const listener = await stage.connect()
    const seen: number[] = []
    subscribe(listener, 'listener::hangs', ({ n }) => {
      seen.push(n)
      return n === 0 ? new Promise(() => undefined) : null
    })
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1))
    feed.announce({ id: 'a', n: 0 })
    feed.announce({ id: 'a', n: 1 })
    await vi.waitFor(() => expect(seen).toEqual([0, 1]))
    expect(stage.log.lines.find(({ level }) => level === 'warn')).toMatchObject({
      message: 'a subscriber did not take a change',
      fields: { function_id: 'listener::hangs' },
    })
  })

  it('tells the last change again to a subscriber that was away for a moment', async () => {
    await using stage = await startMockStage(startMockEngine)
    const feed = createChangeFeed<Change>(await stage.connect(), { ...feedOptions, retryMs: 300, log: stage.log })
    const listener = await stage.connect()
    listener.registerTrigger({ type: 'things::on-change', function_id: 'listener::late' })
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1))
    feed.announce({ id: 'a', n: 1 })
    await vi.waitFor(() => expect(stage.log.messages('warn')).toHaveLength(1))
    const seen: number[] = []
    listener.registerFunction('listener::late', ({ n }: Change) => void seen.push(n))
    await vi.waitFor(() => expect(seen).toEqual([1]))
  })

  it('takes no failure of a handler for absence', async () => {
    await using stage = await startMockStage(startMockEngine)
    const feed = createChangeFeed<Change>(await stage.connect(), { ...feedOptions, retryMs: 1, log: stage.log })
    const listener = await stage.connect()
    let calls = 0
    subscribe(listener, 'listener::throws', () => {
      calls++
      throw new Error('boom')
    })
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1))
    feed.announce({ id: 'a', n: 1 })
    feed.announce({ id: 'a', n: 2 })
    await vi.waitFor(() => expect(calls).toBe(2))
    await listener.ready()
    expect(calls).toBe(2)
  })

  it('says once that a subscriber takes no changes, and once that it does again', async () => {
    await using stage = await startMockStage(startMockEngine)
    const feed = createChangeFeed<Change>(await stage.connect(), { ...feedOptions, log: stage.log })
    const listener = await stage.connect()
    const seen: number[] = []
    subscribe(listener, 'listener::moody', ({ n }) => {
      seen.push(n)
      if (n < 50 || n === 60) throw new Error('not now')
    })
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1))
    for (let n = 0; n < 70; n++) feed.announce({ id: 'a', n })
    await vi.waitFor(() => expect(seen).toHaveLength(70))
    await vi.waitFor(() => expect(stage.log.messages('info')).toHaveLength(2))
    expect(stage.log.messages('warn')).toEqual(Array(2).fill('a subscriber did not take a change'))
    expect(stage.log.messages('info')).toEqual(Array(2).fill('the subscriber takes changes again'))
  })

  it('forgets a subscriber that leaves', async () => {
    await using stage = await startMockStage(startMockEngine)
    const feed = createChangeFeed<Change>(await stage.connect(), feedOptions)
    const leaver = await stage.connect()
    const stayer = await stage.connect()
    const binding = subscribe(stayer, 'stayer::on', () => null)
    subscribe(leaver, 'leaver::on', () => null)
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(2))
    await leaver.shutdown()
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1))
    binding.unregister()
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(0))
  })
})

describe('a binding to a change feed', () => {
  const bind = (id: string, functionId = 'sub::on') => ({
    type: 'registertrigger',
    id,
    trigger_type: 'things::on-change',
    function_id: functionId,
    config: {},
  })

  it.each(['state::set', 'STATE::SET', 'engine::x', 'iii-state::x', 'publish', 'skills::register'])(
    'to %s is refused, which is nobody’s to call',
    async (functionId) => {
      await using stage = await startScriptedStage()
      const feed = createChangeFeed(stage.worker, feedOptions)
      stage.peer.send(bind('b', functionId))
      const { error } = await stage.peer.next('triggerregistrationresult')
      expect(error).toMatchObject({
        code: 'trigger_registration_failed',
        message: `'things::on-change' does not call '${functionId}': it is in an internal namespace [forbidden]`,
      })
      expect(feed.subscriberCount).toBe(0)
    },
  )

  it.each(['mcp::on-change', 'orders::on-change'])('to %s is taken', async (functionId) => {
    await using stage = await startScriptedStage()
    const feed = createChangeFeed(stage.worker, feedOptions)
    stage.peer.send(bind('b', functionId))
    expect(await stage.peer.next('triggerregistrationresult')).not.toHaveProperty('error')
    expect(feed.subscriberCount).toBe(1)
  })

  it('counts once however often the engine repeats it, and the last word counts', async () => {
    await using stage = await startScriptedStage()
    const feed = createChangeFeed(stage.worker, { ...feedOptions, maxSubscribers: 1 })
    stage.peer.send(bind('b', 'old::on'))
    stage.peer.send(bind('b', 'new::on'))
    await stage.peer.next('triggerregistrationresult')
    expect(await stage.peer.next('triggerregistrationresult')).not.toHaveProperty('error')
    expect(feed.subscriberCount).toBe(1)
    feed.announce({ id: 'a' })
    expect(await stage.peer.next('invokefunction', ({ data }) => 'id' in Object(data))).toMatchObject({
      function_id: 'new::on',
    })
    stage.peer.send(bind('c'))
    expect(await stage.peer.next('triggerregistrationresult')).toMatchObject({
      error: { message: "'things::on-change' has 1 subscribers already, which is the limit [overloaded]" },
    })
  })

  it('may be refused by the owner of the feed', async () => {
    await using stage = await startScriptedStage()
    const accept = ({ config }: { config: unknown }) =>
      Object.keys(config as object).length > 0 ? 'takes no config' : undefined
    createChangeFeed(stage.worker, { ...feedOptions, accept })
    stage.peer.send({ ...bind('b'), config: { x: 1 } })
    expect(await stage.peer.next('triggerregistrationresult')).toMatchObject({
      error: { message: 'takes no config [forbidden]' },
    })
  })

  it('that the engine does not repeat after a reconnect is gone', async () => {
    await using stage = await startScriptedStage()
    const feed = createChangeFeed(stage.worker, feedOptions)
    stage.peer.send(bind('kept'))
    stage.peer.send(bind('gone'))
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(2))
    stage.peer.cut()
    const peer = await stage.engine.nextPeer()
    await peer.next('registertriggertype')
    peer.send(bind('kept'))
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1))
  })
})
