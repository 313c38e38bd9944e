import type { JsonObject } from '@iii/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TestMethod } from '../testing/method-table.ts'
import { type StdioStage, startStdioStage } from '../testing/stdio-stage.ts'
import { untilAnswer } from '../testing/until.ts'

const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { roots: {} },
}
const open: StdioStage[] = []
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(open.splice(0).map(({ server }) => server.close()))
})

function serve(...setup: Parameters<typeof startStdioStage>): StdioStage {
  const stage = startStdioStage(...setup)
  open.push(stage)
  return stage
}

/** Waits until nobody wants the reply any more. */
const untilGivenUp: TestMethod = (_, { signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))

describe('a client on stdin and stdout', () => {
  it('has one session from its initialize on, with what it declared and what it sets', async () => {
    const seen: JsonObject[] = []
    const client = serve({
      async look(_, { era, revision, capabilities, session }) {
        seen.push({ era, revision, capabilities, level: session?.logLevel, uris: [...(session?.subscriptions ?? [])] })
      },
      async set(_, { session }) {
        await session?.setLogLevel('error')
        await session?.subscribe('iii://a')
      },
    })
    await client.request('look')
    await client.open({ capabilities: { sampling: {} }, revision: '2025-06-18' })
    await client.request('look')
    await client.request('set')
    await client.request('look')
    await client.open()
    await client.request('look')
    const fresh = { level: 'info', uris: [] }
    expect(seen).toEqual([
      { era: 'plain', revision: '2025-06-18', capabilities: {}, level: undefined, uris: [] },
      { era: 'session', revision: '2025-06-18', capabilities: { sampling: {} }, ...fresh },
      { era: 'session', revision: '2025-06-18', capabilities: { sampling: {} }, level: 'error', uris: ['iii://a'] },
      { era: 'session', revision: '2025-11-25', capabilities: {}, ...fresh },
    ])
  })

  it('may say all in one breath, and all with a claim in any request, session or not', async () => {
    const client = serve({ look: (_, { era, capabilities }) => ({ era, capabilities }) })
    const messages = [
      { id: 0, method: 'look', params: { _meta: CLAIM } },
      { id: 1, method: 'initialize', params: { capabilities: { elicitation: {} } } },
      { method: 'notifications/initialized' },
      { id: 2, method: 'look' },
      { id: 3, method: 'look', params: { _meta: CLAIM } },
    ]
    client.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
    await client.find(({ id }) => id === 3)
    expect(client.messages.map(({ id, result }) => [id, result])).toEqual([
      [0, { era: 'stateless', capabilities: { roots: {} } }],
      [1, {}],
      [2, { era: 'session', capabilities: { elicitation: {} } }],
      [3, { era: 'stateless', capabilities: { roots: {} } }],
    ])
  })

  it('hears of changes from notifications/initialized on, and of resources that it subscribed to', async () => {
    const client = serve({ subscribe: (_, { session }) => session?.subscribe('iii://a') })
    client.notify('notifications/initialized')
    await client.request('ping')
    expect(client.watchers.size).toBe(0)
    await client.open()
    client.notify('notifications/initialized')
    await client.request('subscribe')
    expect(client.watchers.size).toBe(1)
    const [watcher] = client.watchers
    expect([watcher?.wants('tools'), watcher?.isSubscribed('iii://a'), watcher?.isSubscribed('iii://b')]).toEqual([
      true,
      true,
      false,
    ])
    watcher?.tell('notifications/tools/list_changed', {})
    expect(await client.find(({ method }) => method === 'notifications/tools/list_changed')).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: {},
    })
    await client.open()
    expect(client.watchers.size).toBe(1)
    await client.server.close()
    expect(client.watchers.size).toBe(0)
  })

  it('reads what precedes a result before it, and is asked while a request of its session runs', async () => {
    const client = serve({
      async work(_, { reach, signal }) {
        await reach.notify('notifications/progress', { progressToken: 1, progress: 1 })
        return { answer: (await reach.ask?.('roots/list', { a: 1 }, signal))?.result }
      },
    })
    await client.open({ capabilities: { roots: {} } })
    client.send({ id: 7, method: 'work' })
    const question = await client.find(({ method }) => method === 'roots/list')
    expect(question.params).toEqual({ a: 1 })
    client.send({ id: 'nobody', result: 'lost' })
    client.send({ id: question.id, result: { roots: [] } })
    expect(await client.find(({ id }) => id === 7)).toMatchObject({ result: { answer: { roots: [] } } })
    expect(client.messages.slice(1).map(({ method }) => method)).toEqual([
      'notifications/progress',
      'roots/list',
      undefined,
    ])
  })

  it('can read what precedes a result without the result', async () => {
    const client = serve({
      async work(_, { reach }) {
        await reach.notify('notifications/progress', { progressToken: 1, progress: 1 })
      },
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
    const turns = async () => {
      for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve))
    }
    client.send({ id: 7, method: 'work' })
    await turns()
    expect(client.messages.map(({ id }) => id)).toEqual([undefined])
    vi.advanceTimersByTime(10)
    await turns()
    expect(client.messages.map(({ id }) => id)).toEqual([undefined, 7])
  })

  it('is told of an answer that was too long, which fails the question and not the connection', async () => {
    const client = serve({
      work: async (_, { reach, signal }) => ({
        said: await reach.ask?.('roots/list', {}, signal).catch((error: unknown) => (error as Error).message),
      }),
    })
    await client.open({ capabilities: { roots: {} } })
    client.send({ id: 7, method: 'work' })
    const { id } = await client.find(({ method }) => method === 'roots/list')
    client.send({ id, result: { roots: 'x'.repeat(200_000) } })
    const { result } = await client.find((message) => message.id === 7)
    expect(result?.['said']).toContain('too large')
    expect(await client.request('ping')).toHaveProperty('result')
  })

  it('cannot be asked outside a session', async () => {
    const client = serve({ work: (_, { reach }) => ({ canBeAsked: reach.ask !== undefined }) })
    expect(await client.result('work')).toEqual({ canBeAsked: false })
    await client.open()
    expect(await client.result('work', { _meta: CLAIM })).toEqual({ canBeAsked: false })
    expect(await client.result('work')).toEqual({ canBeAsked: true })
  })
})

describe('a request', () => {
  it('that is cancelled is given up without a reply, in any era', async () => {
    const reasons: unknown[] = []
    const client = serve({
      hang: (params, call) => {
        call.signal.addEventListener('abort', () => reasons.push((call.signal.reason as Error).message))
        return untilGivenUp(params, call)
      },
    })
    await client.open()
    client.send({ id: 7, method: 'hang' })
    client.send({ id: '7', method: 'hang', params: { _meta: CLAIM } })
    client.notify('notifications/cancelled', { requestId: 7, reason: 'bored' })
    client.notify('notifications/cancelled', { requestId: '7' })
    for (const requestId of [8, undefined, null, {}]) client.notify('notifications/cancelled', { requestId })
    await client.request('ping')
    await untilAnswer(
      () => reasons.length,
      (count) => count === 2,
    )
    await client.request('ping')
    expect(reasons).toEqual(['The request was cancelled', 'The request was cancelled'])
    expect(client.messages.filter(({ id }) => id === 7 || id === '7')).toEqual([])
  })

  it('that is cancelled is given up with all others of its id', async () => {
    const aborted: unknown[] = []
    const client = serve({
      hang: (params, call) => {
        call.signal.addEventListener('abort', () => aborted.push(params['name']))
        return untilGivenUp(params, call)
      },
      end: async () => undefined,
    })
    for (const name of ['first', 'second']) client.send({ id: 7, method: 'hang', params: { name } })
    client.send({ id: 7, method: 'end' })
    await client.request('ping')
    client.notify('notifications/cancelled', { requestId: 7 })
    await client.request('ping')
    expect(aborted).toEqual(['first', 'second'])
  })

  it('beyond the limit is refused at once, and the others go on', async () => {
    const client = serve({ hang: untilGivenUp }, { atOnce: 3 })
    for (const id of [1, 2, 3]) client.send({ id, method: 'hang' })
    expect(await client.request('ping')).toMatchObject({
      error: { code: -32003, message: 'Too many requests at once: this server takes 3; try again in a second' },
    })
    client.notify('notifications/cancelled', { requestId: 1 })
    await untilAnswer(
      () => client.request('ping'),
      ({ error }) => error === undefined,
    )
  })

  it('is answered with the reason while the configuration locks the server', async () => {
    let reason: string | undefined = 'line 2: bad'
    const client = serve({}, { closed: () => reason })
    for (const method of ['initialize', 'ping', 'tools/list']) {
      expect(await client.request(method)).toMatchObject({
        error: { message: 'This server is locked by its configuration: line 2: bad' },
      })
    }
    reason = undefined
    expect(await client.request('initialize')).toHaveProperty('result')
  })

  it('that is too long to be read is refused by its id where that is found', async () => {
    const client = serve({})
    const params = { text: 'x'.repeat(100_001) }
    client.write(`${JSON.stringify({ method: 'a', params, jsonrpc: '2.0', id: 5 })}\n`)
    client.write(`${JSON.stringify({ params, id: 6, jsonrpc: '2.0', method: 'a' })}\n`)
    client.send({ id: 7, method: 'ping' })
    await client.find(({ id }) => id === 7)
    const message = 'The message is too large: this server takes at most 100000 bytes in a line'
    expect(client.messages).toEqual([
      { jsonrpc: '2.0', id: 5, error: { code: -32000, message } },
      { jsonrpc: '2.0', id: null, error: { code: -32000, message } },
      { jsonrpc: '2.0', id: 7, result: {} },
    ])
  })
})

describe('an error that is about no request', () => {
  it.each<[string, string | undefined, object, boolean]>([
    ['before anything was said', undefined, {}, true],
    ['to a client of 2025-06-18', 'initialize', { protocolVersion: '2025-06-18' }, true],
    ['to a client of 2025-11-25', 'initialize', { protocolVersion: '2025-11-25' }, false],
    ['to a client of 2026-07-28', 'ping', { _meta: CLAIM }, false],
  ])('%s has an id that is null only where the revision has nothing else', async (_, method, params, isNull) => {
    const client = serve({})
    if (method !== undefined) await client.request(method, params)
    client.write('hello\n')
    const { id, error } = await client.find((message) => message.error?.code === -32700)
    expect([id, error]).toEqual([isNull ? null : undefined, expect.objectContaining({ code: -32700 })])
  })
})
