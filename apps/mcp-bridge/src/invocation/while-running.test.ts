import { startMockEngine } from '@iii/mock-engine'
import { readMcpSidecar } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import type { SessionState } from '../mcp/call.ts'
import { createReach, startInvoker, toCall } from '../testing/invoker.ts'

const params = { _meta: { progressToken: 'p1' } }

function toSession(logLevel: SessionState['logLevel']): SessionState {
  const nothing = async () => undefined
  return {
    handle: 's',
    logLevel,
    subscriptions: new Set(),
    setLogLevel: nothing,
    subscribe: nothing,
    unsubscribe: nothing,
  }
}

describe('what a function says while it runs', () => {
  it('reaches the client in the order in which it was said, and before the result', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    test.other.registerFunction('orders::report', async (_, metadata) => {
      const { call_id = '', via } = readMcpSidecar(metadata) ?? {}
      const say = (what: string, payload: object) =>
        test.other.trigger({ function_id: `${via}::${what}`, payload: { call_id, ...payload } })
      // None of them is waited for: the order on the wire has to do.
      const said = [
        say('progress', { progress: 1, total: 3 }),
        say('log', { level: 'info', data: { at: 'b' }, logger: 'orders' }),
        say('progress', { progress: 2, message: `${'more'.repeat(1023)}more and no more` }),
        say('close-stream', {}),
        say('progress', { progress: 3 }),
      ]
      return { delivered: await Promise.all(said) }
    })
    await test.other.ready()
    const reach = createReach()
    const call = toCall({ reach, session: toSession('info') })
    const answer = await test.invoker.once(test.to('orders::report'), call, params)
    expect(answer).toEqual({ kind: 'value', value: { delivered: Array(5).fill({ delivered: true }) } })
    expect(reach.heard).toEqual([
      ['notifications/progress', { progressToken: 'p1', progress: 1, total: 3 }],
      ['notifications/message', { level: 'info', logger: 'orders', data: { at: 'b' } }],
      ['notifications/progress', { progressToken: 'p1', progress: 2, message: `${'more'.repeat(1023)}m…` }],
      ['close', {}],
      ['notifications/progress', { progressToken: 'p1', progress: 3 }],
    ])
  })

  it.each([
    ['of a session, by its level', { session: toSession('warning') }, {}, ['warning', 'error']],
    [
      'of a 2026-07-28 request, by the level in it',
      { era: 'stateless' as const },
      { _meta: { 'io.modelcontextprotocol/logLevel': 'error' } },
      ['error'],
    ],
    [
      'of a 2026-07-28 request without a level, none',
      { era: 'stateless' as const, session: toSession('debug') },
      {},
      [],
    ],
    ['of a plain request, none', { era: 'plain' as const }, {}, []],
  ])('is filtered where it is a log message: %s', async (_, facts, asked, expected) => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    test.other.registerFunction('orders::report', async (_payload, metadata) => {
      const { call_id, via } = readMcpSidecar(metadata) ?? {}
      for (const level of ['debug', 'warning', 'error']) {
        await test.other.trigger({ function_id: `${via}::log`, payload: { call_id, level, data: level } })
      }
      return 'done'
    })
    await test.other.ready()
    const reach = createReach()
    await test.invoker.once(test.to('orders::report'), toCall({ reach, ...facts }), asked)
    expect(reach.heard.map(([, { level }]) => level)).toEqual(expected)
  })

  it.each([
    ['text', 'm'.repeat(65_536), 'm'.repeat(65_536)],
    ['longer text', 'm'.repeat(65_537), `${'m'.repeat(65_533)}…`],
    ['data', { rows: 'm'.repeat(65_525) }, { rows: 'm'.repeat(65_525) }],
    ['more data', { rows: 'm'.repeat(65_526) }, `{"rows":"${'m'.repeat(65_524)}…`],
  ])('is cut where it is a large log message: %s', async (_, data, expected) => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    test.other.registerFunction('orders::report', async (_payload, metadata) => {
      const { call_id, via } = readMcpSidecar(metadata) ?? {}
      const payload = { call_id, level: 'error', data, logger: 'l'.repeat(1_000) }
      await test.other.trigger({ function_id: `${via}::log`, payload })
    })
    await test.other.ready()
    const reach = createReach()
    await test.invoker.once(test.to('orders::report'), toCall({ reach, session: toSession('info') }), {})
    expect(reach.heard).toEqual([
      ['notifications/message', { level: 'error', logger: `${'l'.repeat(253)}…`, data: expected }],
    ])
  })

  it('is filtered by the level that its session has at that moment', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    const session: { -readonly [Member in keyof SessionState]: SessionState[Member] } = toSession('error')
    test.other.registerFunction('orders::report', async (_, metadata) => {
      const { call_id, via } = readMcpSidecar(metadata) ?? {}
      for (const level of ['error', 'debug', 'error'] as const) {
        session.logLevel = level
        await test.other.trigger({ function_id: `${via}::log`, payload: { call_id, level: 'info', data: level } })
      }
    })
    await test.other.ready()
    const reach = createReach()
    await test.invoker.once(test.to('orders::report'), toCall({ reach, session }), {})
    expect(reach.heard.map(([, { data }]) => data)).toEqual(['debug'])
  })

  it('reaches nobody when the call is over, and is refused when it is malformed', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    test.other.registerFunction('orders::get', (_, metadata) => readMcpSidecar(metadata))
    await test.other.ready()
    const reach = createReach()
    const answer = await test.invoker.once(test.to('orders::get'), toCall({ reach }), params)
    const { call_id, via } = (answer as { value: { call_id: string; via: string } }).value
    const late = { function_id: `${via}::progress`, payload: { call_id, progress: 9 } }
    expect(await test.other.trigger(late)).toEqual({ delivered: false })
    expect(reach.heard).toEqual([])
    const malformed = { function_id: `${via}::log`, payload: { call_id, level: 'loud', data: 1 } }
    await expect(test.other.trigger(malformed)).rejects.toThrow(/level.*\[invalid_input\]/)
  })
})
