import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import type { McpCall } from '../mcp/call.ts'
import { startCarrier } from '../testing/carrier.ts'
import { openEvents, postInit } from '../testing/events.ts'
import type { TestMethod } from '../testing/method-table.ts'
import { untilAnswer } from '../testing/until.ts'

const ask = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method })
const told = (n: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 1, progress: n },
})

/** Tells the client three times, each time when the one before has gone out. */
const chatty: TestMethod = async (_, { reach }) => {
  const delivered: boolean[] = []
  for (const n of [1, 2, 3])
    delivered.push(await reach.notify('notifications/progress', { progressToken: 1, progress: n }))
  return { delivered }
}

/** A method that runs until it is told, and remembers the call. */
function createWaiting() {
  const calls: McpCall[] = []
  let finish: (value: unknown) => void = () => {}
  const method: TestMethod = (_, call) => {
    calls.push(call)
    return new Promise((resolve) => {
      finish = resolve
    })
  }
  return { calls, method, finish: (value: unknown) => finish(value) }
}

describe('a reply', () => {
  it('is a plain value when nothing precedes it, also for a client that takes streams', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { quiet: async () => ({ ok: 1 }) })
    const response = await fetch(carrier.url, postInit(ask('quiet')))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('content-length')).not.toBeNull()
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: { ok: 1 } })
  })

  it('becomes a stream when something precedes it, in order and with the result last', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { chatty })
    const events = await openEvents(carrier.url, postInit(ask('chatty', 7)))
    expect(events.response.status).toBe(200)
    expect(Object.fromEntries(events.response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    expect((await events.rest()).map(({ message }) => message)).toEqual([
      told(1),
      told(2),
      told(3),
      { jsonrpc: '2.0', id: 7, result: { delivered: [true, true, true] } },
    ])
  })

  it('carries what precedes it as it happens', async () => {
    await using engine = await startMockEngine()
    const waiting = createWaiting()
    await using carrier = await startCarrier(engine, { waiting: waiting.method })
    const opening = openEvents(carrier.url, postInit(ask('waiting')))
    const [call] = await untilAnswer(
      () => waiting.calls,
      (calls) => calls.length === 1,
    )
    await call?.reach.notify('notifications/progress', { progressToken: 1, progress: 1 })
    const events = await opening
    expect(await events.nextMessage()).toEqual(told(1))
    waiting.finish({ done: true })
    expect(await events.nextMessage()).toMatchObject({ id: 1, result: { done: true } })
    expect(await call?.reach.notify('notifications/progress', { progressToken: 1, progress: 2 })).toBe(false)
  })

  it.each(['application/json', '', '*/*;q=0'])('is never a stream for a client that accepts "%s"', async (accept) => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { chatty }, { limits: { silenceMs: 1 } })
    const response = await fetch(carrier.url, postInit(ask('chatty'), { accept }))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ result: { delivered: [false, false, false] } })
  })

  it('is one event as a plain value for a client that takes nothing else, unless something precedes it', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { chatty, quiet: async () => ({}) })
    const accept = { accept: 'text/event-stream' }
    const quiet = await fetch(carrier.url, postInit(ask('quiet'), accept))
    expect(quiet.headers.get('content-length')).not.toBeNull()
    expect(await quiet.text()).toBe('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')
    const events = await openEvents(carrier.url, postInit(ask('chatty'), accept))
    expect(await events.rest()).toHaveLength(4)
  })

  it('becomes a stream after a silence, with a comment at once and then now and again', async () => {
    await using engine = await startMockEngine()
    const waiting = createWaiting()
    const limits = { silenceMs: 20, keepAliveMs: 20 }
    await using carrier = await startCarrier(engine, { waiting: waiting.method }, { limits })
    const events = await openEvents(carrier.url, postInit(ask('waiting')))
    for (let n = 0; n < 3; n++) expect(await events.next()).toEqual({ comment: 'keep-alive' })
    waiting.finish({})
    expect(await events.nextMessage()).toMatchObject({ id: 1, result: {} })
    expect(await events.next()).toBeUndefined()
  })

  it('that is an error goes out on the stream too', async () => {
    await using engine = await startMockEngine()
    const failing: TestMethod = async (_, { reach }) => {
      await reach.notify('notifications/progress', { progressToken: 1, progress: 1 })
      throw new Error('no')
    }
    await using carrier = await startCarrier(engine, { failing })
    const events = await openEvents(carrier.url, postInit(ask('failing')))
    expect((await events.rest()).map(({ message }) => message)).toEqual([
      told(1),
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no' } },
    ])
  })

  it('stays plain when a function wants to close a stream that its client would not come back for', async () => {
    await using engine = await startMockEngine()
    const closing: TestMethod = async (_, { reach }) => ({ closed: await reach.closeStream() })
    await using carrier = await startCarrier(engine, { closing })
    const response = await fetch(carrier.url, postInit(ask('closing')))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ result: { closed: false } })
  })

  it('may take long where it can become a stream, and as long as the engine waits where not', async () => {
    await using engine = await startMockEngine()
    const limits: TestMethod = async (_, call) => call.limits
    await using carrier = await startCarrier(engine, { limits })
    const timeoutMs = async (accept: string) => {
      const response = await fetch(carrier.url, postInit(ask('limits'), { accept }))
      return ((await response.json()) as { result: { timeoutMs: number } }).result.timeoutMs
    }
    expect(await timeoutMs('application/json')).toBe(25_000)
    expect(await timeoutMs('*/*')).toBe(300_000)
  })
})

describe('a client that leaves', () => {
  it('aborts its call with the next comment, and a slot on the engine is free again', async () => {
    await using engine = await startMockEngine()
    const waiting = createWaiting()
    const limits = { silenceMs: 1, keepAliveMs: 20 }
    await using carrier = await startCarrier(engine, { waiting: waiting.method }, { limits })
    const events = await openEvents(carrier.url, postInit(ask('waiting')))
    expect(waiting.calls[0]?.signal.aborted).toBe(false)
    events.leave()
    await untilAnswer(
      () => waiting.calls[0]?.signal.aborted,
      (aborted) => aborted === true,
    )
    expect(waiting.calls[0]?.signal.reason).toMatchObject({ message: 'The client has left' })
    await untilAnswer(
      () => carrier.streams.count,
      (count) => count === 0,
    )
  })
})

describe('a client that leaves before anything was sent', () => {
  it('is noticed when its silence would be broken', async () => {
    await using engine = await startMockEngine()
    const waiting = createWaiting()
    const limits = { silenceMs: 100, keepAliveMs: 20 }
    await using carrier = await startCarrier(engine, { waiting: waiting.method }, { limits })
    const controller = new AbortController()
    const asking = fetch(carrier.url, { ...postInit(ask('waiting')), signal: controller.signal })
    await untilAnswer(
      () => waiting.calls,
      (calls) => calls.length === 1,
    )
    controller.abort()
    await expect(asking).rejects.toThrow()
    await untilAnswer(
      () => waiting.calls[0]?.signal.aborted,
      (aborted) => aborted === true,
    )
  })
})

describe('many streams', () => {
  it('are open at once up to a limit, beyond which replies stay plain', async () => {
    await using engine = await startMockEngine()
    const waiting = createWaiting()
    const limits = { silenceMs: 5, streamsAtOnce: 1, replyMs: 40 }
    await using carrier = await startCarrier(engine, { waiting: waiting.method, chatty }, { limits })
    const first = await openEvents(carrier.url, postInit(ask('waiting')))
    const second = await fetch(carrier.url, postInit(ask('chatty')))
    expect(await second.json()).toMatchObject({ result: { delivered: [false, false, false] } })
    const third = await fetch(carrier.url, postInit(ask('waiting')))
    expect([third.status, await third.json()]).toMatchObject([
      429,
      { error: { message: expect.stringMatching(/streams/) } },
    ])
    first.leave()
  })

  it('end properly when the server stops, with word to whoever still waits', async () => {
    await using engine = await startMockEngine()
    const waiting = createWaiting()
    await using carrier = await startCarrier(engine, { waiting: waiting.method }, { limits: { silenceMs: 1 } })
    const events = await openEvents(carrier.url, postInit(ask('waiting')))
    await carrier.close()
    expect(await events.nextMessage()).toMatchObject({ id: 1, error: { message: expect.stringMatching(/stopping/) } })
    expect(await events.next()).toBeUndefined()
    expect(waiting.calls[0]?.signal.aborted).toBe(true)
  })

  it('are not needed for that: a plain reply says it too, and later ones at once', async () => {
    await using engine = await startMockEngine()
    const waiting = createWaiting()
    await using carrier = await startCarrier(engine, { waiting: waiting.method })
    const askPlainly = async () => (await fetch(carrier.url, postInit(ask('waiting'), ONLY_JSON))).json()
    const stopping = { id: 1, error: { code: -32603, message: expect.stringMatching(/stopping.+outcome/) } }
    const reply = askPlainly()
    await untilAnswer(
      () => waiting.calls.length,
      (count) => count === 1,
    )
    await carrier.close()
    expect(await reply).toMatchObject(stopping)
    expect(await askPlainly()).toMatchObject(stopping)
  })
})

const ONLY_JSON = { accept: 'application/json' }
