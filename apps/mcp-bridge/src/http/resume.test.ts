import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import type { McpCall } from '../mcp/call.ts'
import { startCarrier, type TestCarrier } from '../testing/carrier.ts'
import { openEvents, postInit, type StreamEvent } from '../testing/events.ts'
import type { TestMethod } from '../testing/method-table.ts'
import { untilAnswer } from '../testing/until.ts'

const ask = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method })

async function open(carrier: TestCarrier): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {} }
  const { headers } = await fetch(carrier.url, postInit({ ...ask('initialize'), params }))
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

const resume = (carrier: TestCarrier, headers: Record<string, string>, last: StreamEvent | undefined) =>
  openEvents(carrier.url, { headers: { accept: 'text/event-stream', 'last-event-id': last?.id ?? '', ...headers } })

/** Runs until it is told; what it sends goes out meanwhile. */
function createStepper() {
  const calls: McpCall[] = []
  let finish: (value: unknown) => void = () => {}
  const stepper: TestMethod = (_, call) => {
    calls.push(call)
    return new Promise((resolve) => {
      finish = resolve
    })
  }
  const call = async () => {
    await untilAnswer(
      () => calls.length,
      (count) => count > 0,
    )
    return calls[0] as McpCall
  }
  return { stepper, call, finish: (value: unknown) => finish(value) }
}

describe('a stream in a session of 2025-11-25', () => {
  it('begins with an event that names it, and every message has an id of its own', async () => {
    await using engine = await startMockEngine()
    const { stepper, call, finish } = createStepper()
    await using carrier = await startCarrier(engine, { stepper })
    const opening = openEvents(carrier.url, postInit(ask('stepper'), await open(carrier)))
    await (await call()).reach.notify('notifications/progress', { progressToken: 1, progress: 1 })
    finish({ done: true })
    const events = await (await opening).rest()
    expect(events[0]).toEqual({ id: expect.any(String), retry: undefined, message: undefined })
    expect(events.slice(1).map(({ message }) => message)).toMatchObject([
      { params: { progress: 1 } },
      { result: { done: true } },
    ])
    expect(new Set(events.map(({ id }) => id)).size).toBe(3)
  })

  it('says when to come back where it ends with the server, for what no request is about alone', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {})
    const session = await open(carrier)
    const listening = await openEvents(carrier.url, { headers: { accept: 'text/event-stream', ...session } })
    await carrier.close()
    expect((await listening.rest()).map(({ id, retry, message }) => [id === undefined, retry, message])).toEqual([
      [false, undefined, undefined],
      [true, '2500', undefined],
    ])
  })

  it('is closed by the server while the call runs on, and taken up again with what came meanwhile', async () => {
    await using engine = await startMockEngine()
    const { stepper, call, finish } = createStepper()
    await using carrier = await startCarrier(engine, { stepper })
    const session = await open(carrier)
    const opening = openEvents(carrier.url, postInit(ask('stepper', 4), session))
    const { reach, signal } = await call()
    await reach.notify('notifications/progress', { progressToken: 1, progress: 1 })
    expect(await reach.closeStream()).toBe(true)
    expect(await reach.closeStream()).toBe(false)
    const first = await (await opening).rest()
    expect(first.map(({ retry }) => retry)).toEqual([undefined, undefined, '1000'])
    expect(await reach.notify('notifications/progress', { progressToken: 1, progress: 2 })).toBe(true)
    const second = await resume(carrier, session, first.at(-1))
    expect(await second.nextMessage()).toMatchObject({ params: { progress: 2 } })
    expect(signal.aborted).toBe(false)
    finish({ done: true })
    expect((await second.rest()).map(({ message }) => message)).toEqual([
      { jsonrpc: '2.0', id: 4, result: { done: true } },
    ])
    const third = await resume(carrier, session, first.at(0))
    expect((await third.rest()).filter(({ message }) => message !== undefined)).toHaveLength(3)
  })

  it('says again where it is when it is taken up, so that a client that forgets between responses can lose it twice', async () => {
    await using engine = await startMockEngine()
    const { stepper, call, finish } = createStepper()
    await using carrier = await startCarrier(engine, { stepper }, { limits: { silenceMs: 1 } })
    const session = await open(carrier)
    const first = await openEvents(carrier.url, postInit(ask('stepper', 4), session))
    const begun = await first.next()
    await call()
    first.leave()
    const second = await resume(carrier, session, begun)
    const again = await second.next()
    expect([again?.id, again?.message]).toEqual([begun?.id, undefined])
    second.leave()
    const third = await resume(carrier, session, again)
    await third.next()
    finish({ done: true })
    expect(await third.nextMessage()).toMatchObject({ id: 4, result: { done: true } })
  })

  it('that its client has closed cancels the call, unless it is taken up again', async () => {
    await using engine = await startMockEngine()
    const { stepper, call, finish } = createStepper()
    await using carrier = await startCarrier(engine, { stepper }, { limits: { keepAliveMs: 20, silenceMs: 1 } })
    const session = await open(carrier)
    const first = await openEvents(carrier.url, postInit(ask('stepper'), session))
    const begun = await first.next()
    const { signal } = await call()
    first.leave()
    await untilAnswer(
      () => carrier.streams.count,
      (count) => count === 0,
    )
    expect(signal.aborted).toBe(false)
    const second = await resume(carrier, session, begun)
    second.leave()
    await untilAnswer(
      () => signal.aborted,
      (aborted) => aborted,
    )
    finish({})
  })

  it('is nobody else’s: another session does not see it', async () => {
    await using engine = await startMockEngine()
    const { stepper, call, finish } = createStepper()
    await using carrier = await startCarrier(engine, { stepper })
    const session = await open(carrier)
    const opening = openEvents(carrier.url, postInit(ask('stepper'), session))
    await (await call()).reach.notify('notifications/progress', { progressToken: 1, progress: 1, message: 'secret' })
    finish({ secret: 2 })
    const [begun] = await (await opening).rest()
    const stranger = await resume(carrier, await open(carrier), begun)
    expect(JSON.stringify(await stranger.rest())).not.toContain('secret')
  })

  it('that a process took with it is answered: the outcome is unknown', async () => {
    await using engine = await startMockEngine()
    let session = {}
    let last: StreamEvent | undefined
    {
      const { stepper, call } = createStepper()
      await using first = await startCarrier(engine, { stepper })
      session = await open(first)
      const opening = openEvents(first.url, postInit(ask('stepper', 8), session))
      const { reach } = await call()
      await reach.closeStream()
      last = (await (await opening).rest()).at(-1)
    }
    await using second = await startCarrier(engine, {})
    const events = await resume(second, session, last)
    expect((await events.rest()).map(({ message }) => message)).toMatchObject([
      { id: 8, error: { message: expect.stringMatching(/outcome is unknown/) } },
    ])
  })

  it('whose reply is not kept any more, since others came after it, is answered: the outcome is unknown', async () => {
    await using engine = await startMockEngine()
    const { stepper, call, finish } = createStepper()
    const loud: TestMethod = async (_, { reach }) => {
      for (let progress = 0; progress < 512; progress++)
        await reach.notify('notifications/progress', { progressToken: 2, progress })
      return {}
    }
    await using carrier = await startCarrier(engine, { stepper, loud })
    const session = await open(carrier)
    const opening = openEvents(carrier.url, postInit(ask('stepper', 8), session))
    await (await call()).reach.notify('notifications/progress', { progressToken: 1, progress: 1 })
    finish({ done: true })
    const [begun] = await (await opening).rest()
    await (await openEvents(carrier.url, postInit(ask('loud', 9), session))).rest()
    const events = await resume(carrier, session, begun)
    expect((await events.rest()).map(({ message }) => message)).toMatchObject([
      { id: 8, error: { message: expect.stringMatching(/kept no longer.+outcome is unknown/) } },
    ])
  })

  it('that was cancelled ends with an error: without a reply its client would come back for ever', async () => {
    await using engine = await startMockEngine()
    const { stepper } = createStepper()
    await using carrier = await startCarrier(engine, { stepper }, { limits: { silenceMs: 1 } })
    const session = await open(carrier)
    const events = await openEvents(carrier.url, postInit(ask('stepper'), session))
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await fetch(carrier.url, postInit(cancel, session))
    expect(await events.nextMessage()).toMatchObject({ id: 1, error: { message: 'The request was cancelled' } })
    expect(await events.next()).toBeUndefined()
  })
})

describe('a GET stream of 2025-11-25', () => {
  it('goes on where it stopped, with what changed while its client was away', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {}, { limits: { keepAliveMs: 20 } })
    const session = await open(carrier)
    const first = await resume(carrier, session, undefined)
    const begun = await first.next()
    first.leave()
    await untilAnswer(
      () => carrier.streams.count,
      (count) => count === 0,
    )
    expect(carrier.watchers.size).toBe(1)
    for (const watcher of carrier.watchers) watcher.tell('notifications/tools/list_changed', {})
    const second = await resume(carrier, session, begun)
    expect(await second.nextMessage()).toMatchObject({ method: 'notifications/tools/list_changed' })
    for (const watcher of carrier.watchers) watcher.tell('notifications/prompts/list_changed', {})
    expect(await second.nextMessage()).toMatchObject({ method: 'notifications/prompts/list_changed' })
  })

  it('that another process had is begun anew, and its client is told to look at everything again', async () => {
    await using engine = await startMockEngine()
    let session: Record<string, string> = {}
    let last: StreamEvent | undefined
    {
      await using first = await startCarrier(engine, {})
      session = await open(first)
      last = await (await resume(first, session, undefined)).next()
    }
    await using second = await startCarrier(engine, {})
    const events = await resume(second, session, last)
    for (const kind of ['tools', 'prompts', 'resources']) {
      expect(await events.nextMessage()).toMatchObject({ method: `notifications/${kind}/list_changed` })
    }
    const fresh = await resume(second, await open(second), undefined)
    for (const watcher of second.watchers) watcher.tell('notifications/prompts/list_changed', {})
    expect(await fresh.nextMessage()).toMatchObject({ method: 'notifications/prompts/list_changed' })
  })
})
