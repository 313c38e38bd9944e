import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import type { McpCall } from '../mcp/call.ts'
import { type CarrierSetup, startCarrier, type TestCarrier } from '../testing/carrier.ts'
import { type EventReader, openEvents, postInit } from '../testing/events.ts'
import type { TestMethod } from '../testing/method-table.ts'
import { untilAnswer } from '../testing/until.ts'

const REVISIONS = ['2025-06-18', '2025-11-25']
const ask = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method })

async function open(carrier: TestCarrier, protocolVersion: string): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: {} }
  const { headers } = await fetch(carrier.url, postInit({ ...ask('initialize'), params }))
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

const listen = (carrier: TestCarrier, headers: Record<string, string>, last?: string) =>
  openEvents(carrier.url, {
    headers: { accept: 'text/event-stream', ...headers, ...(last === undefined ? {} : { 'last-event-id': last }) },
  })

/** Sends a notification to all who watch; its number tells which it was. */
function tell(carrier: TestCarrier, n: number): void {
  for (const watcher of carrier.watchers) watcher.tell('notifications/resources/updated', { uri: `iii://${n}` })
}

const isOver = async (events: EventReader) =>
  (await events.rest()).every(({ message, comment }) => message === undefined || comment !== undefined)

/** Nothing but a stream that is read or replaced ends by itself here. */
const QUIET: CarrierSetup = { limits: { keepAliveMs: 60_000, silenceMs: 1, streamsPerSession: 2 } }

const hang: TestMethod = () => new Promise(() => undefined)

describe.each(REVISIONS)('the newest stream of a session, in %s', (revision) => {
  it('takes the place of its oldest, which ends in order', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {}, QUIET)
    const session = await open(carrier, revision)
    const [first, second, third] = [
      await listen(carrier, session),
      await listen(carrier, session),
      await listen(carrier, session),
    ]
    expect([first, second, third].map(({ response }) => response.status)).toEqual([200, 200, 200])
    expect(await isOver(first)).toBe(true)
    tell(carrier, 1)
    expect(await third.nextMessage()).toMatchObject({ params: { uri: 'iii://1' } })
    expect(carrier.streams.count).toBe(2)
    second.leave()
  })

  it('ends in order also where many come at the same moment, before the head of the older ones is out', async () => {
    await using engine = await startMockEngine({ httpTimeoutMs: 1_000 })
    await using carrier = await startCarrier(engine, {}, { limits: { keepAliveMs: 60_000 } })
    const sessions = [await open(carrier, revision), await open(carrier, revision)]
    const crowd = () => sessions.flatMap((session) => Array.from({ length: 32 }, () => listen(carrier, session)))
    const streams = await Promise.all([...crowd(), ...crowd()])
    expect(streams.filter(({ response }) => response.status !== 200)).toEqual([])
    await untilAnswer(
      () => carrier.streams.count,
      (count) => count === 2 * 16,
    )
    for (const { leave } of streams) leave()
  })

  it('is there after any number of quick reconnects, and hears what comes', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {}, { limits: { keepAliveMs: 60_000 } })
    const session = await open(carrier, revision)
    for (let n = 0; n < 40; n++) {
      const { response, leave } = await listen(carrier, session)
      expect(response.status).toBe(200)
      leave()
    }
    const last = await listen(carrier, session)
    tell(carrier, 1)
    expect(await last.nextMessage()).toMatchObject({ params: { uri: 'iii://1' } })
    await untilAnswer(
      () => carrier.streams.count,
      (count) => count <= 16,
    )
  })

  it('takes no place of another session, not even where there is none', async () => {
    await using engine = await startMockEngine()
    const limits = { ...QUIET.limits, streamsAtOnce: 2 }
    await using carrier = await startCarrier(engine, {}, { limits })
    const [one, other] = [await open(carrier, revision), await open(carrier, revision)]
    const theirs = await listen(carrier, other)
    const mine = await listen(carrier, one)
    const again = await listen(carrier, one)
    expect([again.response.status, await isOver(mine)]).toEqual([200, true])
    const { response } = await listen(carrier, await open(carrier, revision))
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1'])
    tell(carrier, 1)
    expect(await theirs.nextMessage()).toMatchObject({ params: { uri: 'iii://1' } })
    again.leave()
  })

  it('takes the place of no reply, and for a reply not that of the last that the session listens on', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { hang }, QUIET)
    const session = await open(carrier, revision)
    const older = await listen(carrier, session)
    const newer = await listen(carrier, session)
    const reply = await openEvents(carrier.url, postInit(ask('hang'), session))
    expect(await isOver(older)).toBe(true)
    // There is no place for the stream of this one.
    const plain = fetch(carrier.url, postInit(ask('hang', 2), session)).catch(() => undefined)
    const newest = await listen(carrier, session)
    expect([newest.response.status, await isOver(newer)]).toEqual([200, true])
    tell(carrier, 1)
    expect(await newest.nextMessage()).toMatchObject({ params: { uri: 'iii://1' } })
    await fetch(carrier.url, { method: 'DELETE', headers: session })
    expect(await isOver(reply)).toBe(true)
    expect((await plain)?.status).toBe(202)
  })
})

describe('a stream that gave its place up, in 2025-11-25', () => {
  it('is taken up again where it stopped', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, {}, QUIET)
    const session = await open(carrier, '2025-11-25')
    const first = await listen(carrier, session)
    const begun = await first.next()
    tell(carrier, 1)
    for (let n = 0; n < 2; n++) await listen(carrier, session)
    expect((await first.rest()).map(({ message }) => message)).toMatchObject([{ params: { uri: 'iii://1' } }])
    const again = await listen(carrier, session, begun?.id)
    expect(await again.nextMessage()).toMatchObject({ params: { uri: 'iii://1' } })
    tell(carrier, 2)
    expect(await again.nextMessage()).toMatchObject({ params: { uri: 'iii://2' } })
  })

  it('goes on with the reply on its own place, where there is no other', async () => {
    await using engine = await startMockEngine()
    let finish: (value: unknown) => void = () => undefined
    const calls: McpCall[] = []
    const job: TestMethod = (_, call) => {
      calls.push(call)
      return new Promise((resolve) => (finish = resolve))
    }
    const limits = { ...QUIET.limits, streamsPerSession: 1 }
    await using carrier = await startCarrier(engine, { job }, { limits })
    const session = await open(carrier, '2025-11-25')
    const first = await openEvents(carrier.url, postInit(ask('job', 7), session))
    const begun = await first.next()
    first.leave()
    const again = await listen(carrier, session, begun?.id)
    expect(again.response.status).toBe(200)
    // Nobody who listens takes the place of a reply.
    expect((await listen(carrier, session)).response.status).toBe(429)
    finish({ done: true })
    expect(await again.nextMessage()).toEqual({ jsonrpc: '2.0', id: 7, result: { done: true } })
    expect(calls[0]?.signal.aborted).toBe(false)
  })
})
