import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import type { McpCall } from '../mcp/call.ts'
import { startCarrier, type TestCarrier } from '../testing/carrier.ts'
import { openEvents, postInit } from '../testing/events.ts'
import type { TestMethod } from '../testing/method-table.ts'
import { untilAnswer } from '../testing/until.ts'

const ask = (method: string, id: number | string = 1) => ({ jsonrpc: '2.0', id, method })

async function open(carrier: TestCarrier, protocolVersion = '2025-06-18'): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: { elicitation: {} } }
  const { headers } = await fetch(carrier.url, postInit({ ...ask('initialize'), params }))
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

const listen = (carrier: TestCarrier, headers: Record<string, string>) =>
  openEvents(carrier.url, { headers: { accept: 'text/event-stream', ...headers } })

const notify = async (carrier: TestCarrier, message: object, headers: Record<string, string>) =>
  (await fetch(carrier.url, postInit({ jsonrpc: '2.0', ...message }, headers))).status

/** Asks the client for a name and greets it. */
const greeting: TestMethod = async (_, { reach }) => {
  const answer = await reach.ask?.('elicitation/create', { message: 'Name?' }, new AbortController().signal)
  return { answer: answer?.result ?? null }
}

function createWaiting() {
  const calls: McpCall[] = []
  const method: TestMethod = (_, call) => {
    calls.push(call)
    return new Promise(() => {})
  }
  return { calls, method }
}

describe('a question in a session', () => {
  it('goes out on the stream of the reply and is answered by a post', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { greeting })
    const session = await open(carrier)
    const events = await openEvents(carrier.url, postInit(ask('greeting', 5), session))
    const question = await events.nextMessage()
    expect(question).toMatchObject({ jsonrpc: '2.0', method: 'elicitation/create', params: { message: 'Name?' } })
    // Some clients read whole numbers alone, and answer to 0 what has a text for an id; others have 32 bits for it.
    expect(question?.['id']).toSatisfy((id) => Number.isInteger(id) && id >= 0 && id < 2 ** 31)
    const answer = { id: question?.['id'], result: { action: 'accept', content: { name: 'Ada' } } }
    expect(await notify(carrier, answer, await open(carrier))).toBe(202)
    for (const id of ['nobody/1', 2 ** 31 - 1, 2 ** 51, -1])
      expect(await notify(carrier, { ...answer, id }, session)).toBe(202)
    expect(await notify(carrier, answer, session)).toBe(202)
    expect(await events.nextMessage()).toEqual({
      jsonrpc: '2.0',
      id: 5,
      result: { answer: { action: 'accept', content: { name: 'Ada' } } },
    })
    expect(await notify(carrier, answer, session)).toBe(202)
  })

  it('that the client answers with an error fails with it', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { greeting })
    const session = await open(carrier)
    const events = await openEvents(carrier.url, postInit(ask('greeting'), session))
    const id = (await events.nextMessage())?.['id']
    await notify(carrier, { id, error: { code: -1, message: 'User rejected' } }, session)
    expect(await events.nextMessage()).toMatchObject({ error: { code: -1, message: 'User rejected' } })
  })

  it('cannot be asked without a session, nor of a client that takes JSON alone', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { greeting })
    for (const headers of [{}, { ...(await open(carrier)), accept: 'application/json' }]) {
      const response = await fetch(carrier.url, postInit(ask('greeting'), headers))
      expect(await response.json()).toMatchObject({ result: { answer: null } })
    }
  })

  it('is given up with word to the client', async () => {
    await using engine = await startMockEngine()
    const hasty: TestMethod = async (_, { reach }) => ({
      failed: await reach.ask?.('roots/list', {}, AbortSignal.timeout(20)).catch((error: unknown) => String(error)),
    })
    await using carrier = await startCarrier(engine, { hasty })
    const events = await openEvents(carrier.url, postInit(ask('hasty'), await open(carrier)))
    const messages = (await events.rest()).map(({ message }) => message)
    expect(messages[1]).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: messages[0]?.['id'] },
    })
    expect(messages[2]).toMatchObject({ result: { failed: 'RpcError: The client did not answer in time' } })
  })

  it('of a call that its client gives up is taken back where that listens, since it may have left the stream of the reply', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { greeting })
    const session = await open(carrier)
    const listening = await listen(carrier, session)
    const reply = await openEvents(carrier.url, postInit(ask('greeting', 5), session))
    const id = (await reply.nextMessage())?.['id']
    reply.leave()
    await notify(carrier, { method: 'notifications/cancelled', params: { requestId: 5 } }, session)
    expect(await listening.nextMessage()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id },
    })
    listening.leave()
  })

  it('is taken back on the stream of the reply where the one that it listens on was lost', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { greeting }, { limits: { keepAliveMs: 20 } })
    const session = await open(carrier, '2025-11-25')
    const listening = await listen(carrier, session)
    listening.leave()
    await expect.poll(() => carrier.streams.count).toBe(0)
    const reply = await openEvents(carrier.url, postInit(ask('greeting', 5), session))
    const id = (await reply.nextMessage())?.['id']
    await notify(carrier, { method: 'notifications/cancelled', params: { requestId: 5 } }, session)
    expect(await reply.nextMessage()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } })
  })

  it('is answered also at a twin that has taken over the route', async () => {
    await using engine = await startMockEngine()
    await using first = await startCarrier(engine, { greeting })
    const session = await open(first)
    const events = await openEvents(first.url, postInit(ask('greeting'), session))
    const id = (await events.nextMessage())?.['id']
    await using twin = await startCarrier(engine, {})
    expect(await notify(twin, { id, result: { action: 'decline' } }, session)).toBe(202)
    expect(await events.nextMessage()).toMatchObject({ result: { answer: { action: 'decline' } } })
  })
})

describe('notifications/cancelled', () => {
  it('aborts that very call of that session, and its response ends without a message', async () => {
    await using engine = await startMockEngine()
    const { calls, method } = createWaiting()
    await using carrier = await startCarrier(engine, { method }, { limits: { silenceMs: 5 } })
    const [session, other] = [await open(carrier), await open(carrier)]
    const streams = await Promise.all([
      openEvents(carrier.url, postInit(ask('method', 1), session)),
      openEvents(carrier.url, postInit(ask('method', '1'), session)),
      openEvents(carrier.url, postInit(ask('method', 1), other)),
    ])
    const cancel = { method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } }
    expect(await notify(carrier, cancel, session)).toBe(202)
    expect(await streams[0].nextMessage()).toBeUndefined()
    expect(calls.map(({ id, signal }) => [id, signal.aborted])).toContainEqual([1, true])
    expect(calls.filter(({ signal }) => signal.aborted)).toHaveLength(1)
    expect(await notify(carrier, { ...cancel, params: { requestId: 99 } }, session)).toBe(202)
    for (const stream of streams) stream.leave()
  })

  it.each(['notifications/cancelled', 'DELETE'])('%s gives up every request of one id', async (ending) => {
    await using engine = await startMockEngine()
    const { calls, method } = createWaiting()
    await using carrier = await startCarrier(engine, { method })
    const session = await open(carrier)
    const replies = [1, 1].map(() => fetch(carrier.url, postInit(ask('method'), session)))
    await expect.poll(() => calls.length).toBe(2)
    if (ending === 'DELETE') await fetch(carrier.url, { method: 'DELETE', headers: session })
    else await notify(carrier, { method: ending, params: { requestId: 1 } }, session)
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([202, 202])
  })

  it('ends a plain reply too, with nothing in it', async () => {
    await using engine = await startMockEngine()
    const { calls, method } = createWaiting()
    await using carrier = await startCarrier(engine, { method })
    const session = await open(carrier)
    const reply = fetch(carrier.url, postInit(ask('method'), { ...session, accept: 'application/json' }))
    await untilAnswer(
      () => calls.length,
      (count) => count === 1,
    )
    await notify(carrier, { method: 'notifications/cancelled', params: { requestId: 1 } }, session)
    const response = await reply
    expect([response.status, await response.text()]).toEqual([202, ''])
  })
})

describe('a GET stream', () => {
  it('begins with a comment at once and brings what changes while it is open', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {}, { limits: { keepAliveMs: 20 } })
    const session = await open(carrier)
    const events = await listen(carrier, session)
    expect([events.response.status, events.response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(await events.next()).toEqual({ comment: 'keep-alive' })
    const [watcher] = carrier.watchers
    expect([watcher?.wants('tools'), watcher?.isSubscribed('iii://x')]).toEqual([true, false])
    watcher?.tell('notifications/tools/list_changed', {})
    expect(await events.nextMessage()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: {},
    })
    events.leave()
    await untilAnswer(
      () => carrier.watchers.size,
      (size) => size === 0,
    )
    expect(carrier.streams.count).toBe(0)
  })

  it('brings each message once, on the newest of several', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {}, { limits: { keepAliveMs: 20 } })
    const session = await open(carrier)
    const [older, newer] = [await listen(carrier, session), await listen(carrier, session)]
    const tell = (n: number) => {
      for (const watcher of carrier.watchers) watcher.tell('notifications/resources/updated', { uri: `iii://${n}` })
    }
    tell(1)
    expect(await newer.nextMessage()).toMatchObject({ params: { uri: 'iii://1' } })
    newer.leave()
    await untilAnswer(
      () => carrier.streams.count,
      (count) => count === 1,
    )
    tell(2)
    expect(await older.nextMessage()).toMatchObject({ params: { uri: 'iii://2' } })
  })

  it.each([
    ['without a session', {}, 405],
    ['with a session that is not there', { 'mcp-session-id': 'x' }, 404],
    ['of the stateless revision', { 'mcp-session-id': 'x', 'mcp-protocol-version': '2026-07-28' }, 405],
  ])('is refused at once %s', async (_, headers, status) => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {})
    expect((await listen(carrier, headers as Record<string, string>)).response.status).toBe(status)
  })

  it('is refused for a client that does not take it', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {})
    const headers = { ...(await open(carrier)), accept: 'application/json' }
    expect((await listen(carrier, headers)).response.status).toBe(406)
  })

  it.each(['2025-06-18', '2025-11-25'])(
    'ends with its session, and so do its calls, without a word: %s',
    async (revision) => {
      await using engine = await startMockEngine()
      const { calls, method } = createWaiting()
      await using carrier = await startCarrier(engine, { method, greeting }, { limits: { silenceMs: 5 } })
      const session = await open(carrier, revision)
      const stream = await listen(carrier, session)
      const asked = await openEvents(carrier.url, postInit(ask('greeting', 2), session))
      expect(await asked.nextMessage()).toMatchObject({ method: 'elicitation/create' })
      const streamed = await openEvents(carrier.url, postInit(ask('method'), session))
      const plain = fetch(carrier.url, postInit(ask('method', 3), { ...session, accept: 'application/json' }))
      await untilAnswer(
        () => calls.length,
        (count) => count === 2,
      )
      expect((await fetch(carrier.url, { method: 'DELETE', headers: session })).status).toBe(204)
      expect((await plain).status).toBe(202)
      expect(await (await plain).text()).toBe('')
      for (const events of [stream, asked, streamed]) {
        expect((await events.rest()).filter(({ message }) => message !== undefined)).toEqual([])
      }
      expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true])
      expect(carrier.watchers.size).toBe(0)
    },
  )
})
