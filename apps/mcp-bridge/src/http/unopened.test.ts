import { startMockEngine } from '@iii/mock-engine'
import { createLog } from '@iii/sdk'
import { describe, expect, it, vi } from 'vitest'
import { startCarrier, type TestCarrier } from '../testing/carrier.ts'
import { openEvents, postInit } from '../testing/events.ts'
import type { TestMethod } from '../testing/method-table.ts'
import { startSingleConnection } from '../testing/single-connection.ts'

const ask = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method })

const chatty: TestMethod = async (_, { reach }) => {
  const delivered: boolean[] = []
  for (const progress of [1, 2])
    delivered.push(await reach.notify('notifications/progress', { progressToken: 1, progress }))
  return { delivered }
}

const curious: TestMethod = (_, { reach }) => reach.ask?.('roots/list', {}, new AbortController().signal)

const pausing: TestMethod = async (_, { reach }) => ({ paused: await reach.closeStream() })

const hasty: TestMethod = (_, { reach }) => {
  void reach.closeStream()
  return { isDone: true }
}

const silent: TestMethod = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const loud: TestMethod = async (_, { reach }) => {
  const data = 'x'.repeat(100_000)
  const sent = Array.from({ length: 20 }, () => reach.notify('notifications/message', { level: 'info', data }))
  await Promise.all(sent)
  return { isDone: true }
}

/** Its bridge has one connection to the engine, and gets no other. */
async function startStage(others?: 'refused' | 'unanswered') {
  const engine = await startMockEngine()
  const way = await startSingleConnection(engine.url, others)
  const log = createLog({ name: 'mcp', level: 'silent' })
  const error = vi.spyOn(log, 'error')
  const limits = { silenceMs: 20, replyMs: 400 }
  const methods = { chatty, curious, hasty, loud, pausing, silent }
  const carrier = await startCarrier({ url: way.url, httpUrl: engine.httpUrl }, methods, { log, limits })
  return {
    carrier,
    said: () => error.mock.calls,
    async [Symbol.asyncDispose]() {
      for (const each of [carrier, way, engine]) await each[Symbol.asyncDispose]()
    },
  }
}

async function open(carrier: TestCarrier, protocolVersion: string): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: { roots: {} } }
  const { headers } = await fetch(carrier.url, postInit({ ...ask('initialize'), params }))
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' }
}

describe('where no stream can be opened', () => {
  it.each([undefined, '2025-06-18', '2025-11-25'])(
    'a reply of %s comes as a plain one, and the log says once what was refused',
    async (revision) => {
      await using stage = await startStage()
      const { carrier, said } = stage
      const session = revision && (await open(carrier, revision))
      const post = async (method: string) => {
        const response = await fetch(carrier.url, postInit(ask(method), session || {}))
        return { type: response.headers.get('content-type'), ...((await response.json()) as object) }
      }
      for (const method of ['chatty', 'chatty']) {
        expect(await post(method)).toMatchObject({
          type: 'application/json',
          result: { delivered: [false, false] },
        })
      }
      if (session) expect(await post('curious')).toMatchObject({ error: { message: /no stream could be opened/ } })
      expect(await post('pausing')).toMatchObject({ result: { paused: false } })
      expect(await post('silent')).toMatchObject({
        error: { message: expect.stringContaining('no stream could be opened to wait longer') },
      })
      expect(said()).toEqual([[{ reason: expect.stringMatching(/ECONNREFUSED/) }, expect.any(String)]])
      expect(carrier.streams.count).toBe(0)
    },
  )

  it('a reply that is there before its stream is closed comes as a plain one', async () => {
    await using stage = await startStage()
    const { carrier } = stage
    const response = await fetch(carrier.url, postInit(ask('hasty'), await open(carrier, '2025-11-25')))
    expect(await response.json()).toMatchObject({ result: { isDone: true } })
  })

  it.each(['2025-06-18', '2025-11-25'])('who wants to listen in %s is refused at once', async (revision) => {
    await using stage = await startStage()
    const { carrier } = stage
    const headers = { accept: 'text/event-stream', ...(await open(carrier, revision)) }
    const events = await openEvents(carrier.url, { headers })
    expect(events.response.status).toBe(503)
    expect(await events.nextMessage()).toMatchObject({
      error: { message: expect.stringContaining('could not be opened') },
    })
    expect(carrier.watchers.size).toBe(0)
    await fetch(carrier.url, { method: 'DELETE', headers })
  })
})

describe('where a stream is cut before it stands', () => {
  it.each([undefined, '2025-11-25'])('for too much that waits, the reply of %s is a plain one', async (revision) => {
    await using stage = await startStage('unanswered')
    const { carrier, said } = stage
    const session = revision && (await open(carrier, revision))
    const response = await fetch(carrier.url, postInit(ask('loud'), session || {}))
    expect(await response.json()).toMatchObject({ result: { isDone: true } })
    expect(said()).toEqual([])
  })

  it.each([undefined, '2025-11-25'])('for its bridge stops, the reply of %s is a plain one', async (revision) => {
    await using stage = await startStage('unanswered')
    const { carrier, said } = stage
    const session = revision && (await open(carrier, revision))
    const reply = fetch(carrier.url, postInit(ask('silent'), session || {}))
    await expect.poll(() => carrier.streams.count).toBe(1)
    await carrier.close()
    expect(await (await reply).json()).toMatchObject({ error: { message: /stopping/ } })
    expect(said()).toEqual([])
  })
})
