import { startMockEngine } from '@iii/mock-engine'
import type { CancelSignal } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { startCarrier } from '../testing/carrier.ts'
import { openEvents, postInit } from '../testing/events.ts'
import type { TestMethod } from '../testing/method-table.ts'
import { untilAnswer } from '../testing/until.ts'

const ask = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method })
const chatty: TestMethod = async (_, { reach }) => ({
  told: await reach.notify('notifications/progress', { progressToken: 1, progress: 1 }),
})

/** Timers of this process. */
function countResources(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}

describe('a thousand streams', () => {
  it('leave nothing behind: no stream, no timer, no watcher', async () => {
    await using engine = await startMockEngine()
    await using carrier = await startCarrier(engine, { chatty }, { limits: { keepAliveMs: 20, streamsPerSession: 64 } })
    const params = { protocolVersion: '2025-06-18' }
    const { headers } = await fetch(carrier.url, postInit({ ...ask('initialize'), params }))
    const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
    await (await openEvents(carrier.url, postInit(ask('chatty'), session))).rest()
    const before = countResources()
    for (let round = 0; round < 25; round++) {
      const posts = Array.from({ length: 36 }, (_, n) => openEvents(carrier.url, postInit(ask('chatty', n), session)))
      const gets = [1, 2, 3, 4].map(() =>
        openEvents(carrier.url, { headers: { ...session, accept: 'text/event-stream' } }),
      )
      for (const events of await Promise.all(posts)) expect(await events.rest()).toHaveLength(2)
      for (const events of await Promise.all(gets)) events.leave()
      await untilAnswer(
        () => carrier.streams.count,
        (count) => count <= 4,
      )
    }
    await untilAnswer(
      () => carrier.streams.count,
      (count) => count === 0,
    )
    expect(carrier.watchers.size).toBe(0)
    await untilAnswer(countResources, (count) => count <= before)
  }, 120_000)
})

describe('an engine that stops while streams are open', () => {
  it('ends them and aborts their calls; the same session goes on when it is back', async () => {
    await using engine = await startMockEngine()
    const signals: CancelSignal[] = []
    const waiting: TestMethod = (_, { signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    }
    await using carrier = await startCarrier(engine, { waiting, chatty }, { limits: { silenceMs: 1 } })
    const { headers } = await fetch(carrier.url, postInit({ ...ask('initialize') }))
    const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
    const events = await openEvents(carrier.url, postInit(ask('waiting'), session))
    const restarting = engine.restart({ downMs: 50 })
    await expect(events.rest()).rejects.toThrow()
    await untilAnswer(
      () => signals[0]?.aborted,
      (aborted) => aborted === true,
    )
    expect(carrier.streams.count).toBe(0)
    await restarting
    const again = () => openEvents(carrier.url, postInit(ask('chatty'), session)).catch(() => undefined)
    const answered = await untilAnswer(again, (reader) => reader?.response.status === 200)
    expect(await answered?.rest()).toHaveLength(2)
  })
})
