import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it, vi } from 'vitest'
import { type MockStage, startMockStage } from '../testing/mock-stage.ts'
import { invoke, startScriptedStage } from '../testing/start-worker.ts'
import type { Worker } from '../worker/worker.ts'
import { createChangeFeed } from './change-feed.ts'

interface Change {
  id: string
  n: number
}

const feedOptions = { id: 'things::on-change', description: 'Things changed' }

/** Binds a function to the feed; resolves to the refusal, and never when it is taken. */
function bind(worker: Worker, functionId: string): Promise<string> {
  return new Promise((resolve) => {
    worker.registerTrigger({
      type: feedOptions.id,
      function_id: functionId,
      onError: ({ message }) => resolve(message),
    })
  })
}

async function openFeed(stage: MockStage) {
  return createChangeFeed<Change>(await stage.connect(), { ...feedOptions, timeoutMs: 60_000, log: stage.log })
}

/** A handler that keeps every call waiting until it is opened. */
function createGate(seen: Change[]) {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const handler = (change: Change) => {
    seen.push(change)
    return opened
  }
  return { handler, open: () => open() }
}

describe('subscribers of a change feed', () => {
  it('are 256; one more is refused with the limit, until another one leaves', async () => {
    await using stage = await startMockStage(startMockEngine)
    const feed = await openFeed(stage)
    const listener = await stage.connect()
    for (let n = 1; n < 256; n++) void bind(listener, 'listener::on')
    const leaver = listener.registerTrigger({ type: feedOptions.id, function_id: 'listener::on' })
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(256), 20_000)
    expect(await bind(listener, 'listener::on')).toBe(
      "'things::on-change' has 256 subscribers already, which is the limit [overloaded]",
    )
    leaver.unregister()
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(255), 20_000)
    void bind(listener, 'listener::on')
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(256), 20_000)
  })

  it('are told side by side: 255 that hang delay nobody', async () => {
    await using stage = await startMockStage(startMockEngine)
    const feed = await openFeed(stage)
    const listener = await stage.connect()
    const hung: Change[] = []
    const { handler, open } = createGate(hung)
    listener.registerFunction('listener::hangs', handler)
    for (let n = 1; n < 256; n++) void bind(listener, 'listener::hangs')
    const seen: number[] = []
    listener.registerFunction('listener::quick', ({ n }: Change) => void seen.push(n))
    void bind(listener, 'listener::quick')
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(256), 20_000)
    for (let n = 0; n < 10; n++) feed.announce({ id: 'a', n })
    await vi.waitFor(() => expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 20_000)
    expect(hung.every(({ n }) => n === 0)).toBe(true)
    open()
    await vi.waitFor(() => expect(hung).toHaveLength(2550), 20_000)
  })
})

describe('a subscriber that is slow', () => {
  it.each([
    ['gets each of 1000 changes that waited for it', 1000, 1001],
    ['gets the last of each id when 1001 waited', 1001, 1 + 7],
  ])('%s', async (_, waiting, told) => {
    await using stage = await startMockStage(startMockEngine)
    const feed = await openFeed(stage)
    const listener = await stage.connect()
    const seen: Change[] = []
    const { handler, open } = createGate(seen)
    listener.registerFunction('listener::slow', handler)
    void bind(listener, 'listener::slow')
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1), 20_000)
    const announced = Array.from({ length: 1 + waiting }, (_, n) => ({ id: `a${n % 7}`, n }))
    feed.announce(announced[0] as Change)
    await vi.waitFor(() => expect(seen).toHaveLength(1), 20_000)
    for (const change of announced.slice(1)) feed.announce(change)
    open()
    await vi.waitFor(() => expect(seen.at(-1)).toEqual(announced.at(-1)), 20_000)
    expect(seen).toHaveLength(told)
    expect(seen.slice(-7)).toEqual(announced.slice(-7))
  })
})

describe('a burst of 10 000 changes', () => {
  it('reaches each subscriber in order, as few calls as it bears, and ends with the last change of each id', async () => {
    await using stage = await startMockStage(startMockEngine)
    const feed = await openFeed(stage)
    const listener = await stage.connect()
    const quick: Change[] = []
    const slow: Change[] = []
    listener.registerFunction('listener::quick', (change: Change) => void quick.push(change))
    const { handler, open } = createGate(slow)
    listener.registerFunction('listener::slow', handler)
    for (const functionId of ['listener::quick', 'listener::slow', 'nobody::home']) void bind(listener, functionId)
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(3), 20_000)
    for (let n = 0; n < 10_000; n++) {
      feed.announce({ id: `a${n % 100}`, n })
      if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await vi.waitFor(() => expect(quick.at(-1)?.n).toBe(9_999), 20_000)
    open()
    await vi.waitFor(() => expect(slow.at(-1)?.n).toBe(9_999), 20_000)
    expect(slow.length).toBeLessThanOrEqual(1 + 1000 + 100)
    for (const seen of [quick, slow]) {
      const order = seen.map(({ n }) => n)
      expect(order).toEqual([...order].sort((a, b) => a - b))
      expect(order.slice(-100)).toEqual(Array.from({ length: 100 }, (_, n) => 9_900 + n))
    }
  })
})

describe('a binding to an internal function', () => {
  it('that waited for the feed is refused when the feed comes', async () => {
    await using stage = await startMockStage(startMockEngine)
    const listener = await stage.connect()
    const refusal = bind(listener, 'state::delete')
    void bind(listener, 'mcp::b1::on-change')
    await listener.ready()
    const feed = await openFeed(stage)
    expect(await refusal).toBe(
      "'things::on-change' does not call 'state::delete': it is in an internal namespace [forbidden]",
    )
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1), 20_000)
  })
})

describe('a change that waits', () => {
  const binding = {
    type: 'registertrigger',
    id: 'b',
    trigger_type: 'things::on-change',
    function_id: 'sub::on',
    config: {},
  }

  it('is merged as its feed wants it', async () => {
    await using stage = await startScriptedStage()
    const merge = (earlier: Change, later: Change) => ({ id: later.id, n: earlier.n + later.n })
    const feed = createChangeFeed<Change>(stage.worker, { ...feedOptions, maxWaiting: 1, merge })
    stage.peer.send(binding)
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1), 20_000)
    for (const n of [1, 10, 100, 1000]) feed.announce({ id: 'a', n })
    const isChange = ({ data }: Record<string, unknown>) => 'n' in Object(data)
    const first = await stage.peer.next('invokefunction', isChange)
    stage.peer.send({ type: 'invocationresult', invocation_id: first['invocation_id'] ?? '' })
    expect([first['data'], (await stage.peer.next('invokefunction', isChange))['data']]).toEqual([
      { id: 'a', n: 1 },
      { id: 'a', n: 1110 },
    ])
  })

  it('that has no key is lost where too many wait, and whoever announces it hears nothing of that', async () => {
    await using stage = await startScriptedStage()
    const key = () => {
      throw new Error('no key')
    }
    const feed = createChangeFeed<Change>(stage.worker, { ...feedOptions, maxWaiting: 1, key })
    stage.peer.send(binding)
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1), 20_000)
    for (let n = 1; n <= 3; n++) feed.announce({ id: 'a', n })
    expect(stage.log.messages('error')).toEqual([
      "a change of 'things::on-change' is lost for a subscriber, as its key or merge failed",
    ])
  })

  it('goes out with the trace of the call that made it, and with no other', async () => {
    await using stage = await startScriptedStage()
    const feed = createChangeFeed<Change>(stage.worker, feedOptions)
    stage.peer.send(binding)
    await vi.waitFor(() => expect(feed.subscriberCount).toBe(1), 20_000)
    stage.worker.registerFunction('things::set', (change: Change) => feed.announce(change))
    await invoke(stage.peer, 'things::set', { id: 'a', n: 1 }, { traceparent: '00-1-01', baggage: 'tenant=7' })
    await invoke(stage.peer, 'things::set', { id: 'a', n: 2 }, { traceparent: '00-2-01' })
    feed.announce({ id: 'a', n: 3 })
    const traces: unknown[] = []
    for (let n = 1; n <= 3; n++) {
      const call = await stage.peer.next('invokefunction', ({ data }) => 'n' in Object(data))
      traces.push([call['data'], call['traceparent'], call['baggage']])
      stage.peer.send({ type: 'invocationresult', invocation_id: call['invocation_id'] ?? '' })
    }
    expect(traces).toEqual([
      [{ id: 'a', n: 1 }, '00-1-01', 'tenant=7'],
      [{ id: 'a', n: 2 }, '00-2-01', undefined],
      [{ id: 'a', n: 3 }, undefined, undefined],
    ])
  })
})
