import process from 'node:process'
import { startMockEngine } from '@iii/mock-engine'
import { Fault, readMcpSidecar } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { type SessionState, UNREACHABLE } from '../mcp/call.ts'
import { RPC } from '../mcp/rpc.ts'
import { createReach, startInvoker, toCall } from '../testing/invoker.ts'
import { untilAnswer } from '../testing/until.ts'

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

describe('what a function learns beside its payload', () => {
  it('is who asks, how to reach them, and what the call adds', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    test.other.registerFunction('orders::get', (_, metadata) => ({ got: readMcpSidecar(metadata) }))
    await test.other.ready()
    const invocation = { ...test.to('orders::get'), sidecar: { uri: 'test://a', variables: { id: 'a' } } }
    expect(await test.invoker.once(invocation, toCall({ capabilities: { roots: {} } }), params)).toEqual({
      kind: 'value',
      value: {
        got: {
          call_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          via: expect.stringMatching(/^mcp::/),
          client: { name: 'tester', version: '9' },
          // Nobody would hear a question here.
          client_capabilities: {},
          progress: true,
          uri: 'test://a',
          variables: { id: 'a' },
        },
      },
    })
  })

  it("is what the client says beside its request as well, but for MCP's own", async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    test.other.registerFunction('orders::get', (_, metadata) => readMcpSidecar(metadata)?.meta ?? 'none')
    await test.other.ready()
    const ask = async (_meta: object) => test.invoker.once(test.to('orders::get'), toCall(), { _meta })
    const own = { traceparent: '00-1', 'com.example/tenant': { id: 7 } }
    const reserved = {
      progressToken: 1,
      'io.modelcontextprotocol/logLevel': 'info',
      'mcp.dev/x': 1,
      'com.mcp.tools/x/y': 1,
    }
    expect(await ask({ ...own, ...reserved })).toEqual({ kind: 'value', value: own })
    for (const nothing of [reserved, { a: 'x'.repeat(9_000) }]) {
      expect(await ask(nothing)).toEqual({ kind: 'value', value: 'none' })
    }
    const before = process.cpuUsage()
    expect(await ask({ [`c${'.mcp.'.repeat(50_000)}`]: 1 })).toEqual({ kind: 'value', value: 'none' })
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000)
  })

  it.each([
    ['gave no token', {}, createReach()],
    ['gave something else as a token', { _meta: { progressToken: {} } }, createReach()],
    ['takes only a plain reply', params, UNREACHABLE],
  ])('does not say progress when the client %s', async (_, asked, reach) => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    test.other.registerFunction('orders::get', (_payload, metadata) => readMcpSidecar(metadata)?.progress ?? 'none')
    await test.other.ready()
    const answer = await test.invoker.once(test.to('orders::get'), toCall({ reach }), asked)
    expect(answer).toEqual({ kind: 'value', value: 'none' })
  })
})

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

describe('a function that is not waited for any more', () => {
  const running = async (metadata: { cancel?: string; timeout_ms?: number }) => {
    const engine = await startMockEngine()
    const test = await startInvoker(engine, 1)
    const cancelled: unknown[] = []
    const started: unknown[] = []
    test.other.registerFunction('orders::slow', (_, beside) => {
      started.push(readMcpSidecar(beside)?.call_id)
      return new Promise(() => undefined)
    })
    // As the SDK registers the one of its functions.
    test.other.registerFunction('orders::stop', (payload) => void cancelled.push(payload))
    test.other.registerFunction('mcp-cancel::orders', (payload) => void cancelled.push(payload), {
      metadata: { internal: true, 'mcp.expose': false },
    })
    test.other.registerFunction('engine::orders-stop', (payload) => void cancelled.push(payload))
    test.other.registerFunction('orders::quick', () => 'quick')
    await test.other.ready()
    const invocation = test.to('orders::slow', metadata)
    const dispose = async () => {
      await test[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    }
    return { test, cancelled, started, invocation, [Symbol.asyncDispose]: dispose }
  }

  it('is told by the function that it named, and its slot is free, when the client leaves', async () => {
    await using all = await running({ cancel: 'orders::stop' })
    const { test, cancelled, started, invocation } = all
    const leave = new AbortController()
    const call = test.invoker.once(invocation, toCall({ signal: leave.signal }), params)
    call.catch(() => undefined)
    await untilAnswer(
      () => started.length,
      (count) => count === 1,
    )
    await expect(test.invoker.once(test.to('orders::quick'), toCall(), {})).rejects.toMatchObject({
      code: RPC.overloaded,
    })
    leave.abort()
    await expect(call).rejects.toThrow(/was given up: its client cancelled the call, or left. The outcome is unknown/)
    expect(await test.invoker.once(test.to('orders::quick'), toCall(), {})).toEqual({ kind: 'value', value: 'quick' })
    const told = await untilAnswer(
      () => cancelled,
      (all) => all.length === 1,
    )
    expect(told).toEqual([expect.objectContaining({ call_id: started[0] })])
  })

  it('is told past its deadline, which it may set shorter itself', async () => {
    await using all = await running({ cancel: 'mcp-cancel::orders', timeout_ms: 50 })
    const { test, cancelled, invocation } = all
    const error = await test.invoker.once(invocation, toCall(), params).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Fault)
    expect(error).toMatchObject({
      code: 'deadline',
      message:
        'orders::slow did not answer within 0.1 s. The outcome is unknown: it may still finish. It was not called again. (0.1 s is what the function asks for in its metadata, mcp.timeout_ms.)',
    })
    await untilAnswer(
      () => cancelled.length,
      (count) => count === 1,
    )
  })

  it('is not even called when nobody waits already, and nothing hidden is ever told', async () => {
    await using all = await running({ cancel: 'engine::orders-stop', timeout_ms: 50 })
    const { test, cancelled, started, invocation } = all
    const signal = AbortSignal.abort()
    await expect(test.invoker.once(invocation, toCall({ signal }), params)).rejects.toThrow(/was given up/)
    expect(started).toEqual([])
    await expect(test.invoker.once(invocation, toCall(), params)).rejects.toThrow(/outcome is unknown/)
    await test.invoker.once(test.to('orders::quick'), toCall(), {})
    expect(cancelled).toEqual([])
  })
})

describe('what a function returns', () => {
  it('is an error of the protocol where it says so', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    const refusal = { result_type: 'protocol_error', code: -32_050, message: 'no more', data: { left: 0 } }
    test.other.registerFunction('orders::get', () => refusal)
    await test.other.ready()
    const call = test.invoker.once(test.to('orders::get'), toCall(), {})
    await expect(call).rejects.toMatchObject({ name: 'RpcError', code: -32_050, message: 'no more', data: { left: 0 } })
  })

  it.each([RPC.sessionNotFound, RPC.overloaded, RPC.methodNotFound, RPC.headerMismatch, RPC.missingCapability])(
    'never is the error %i, which says something of the server',
    async (code) => {
      await using engine = await startMockEngine()
      await using test = await startInvoker(engine)
      test.other.registerFunction('orders::get', () => ({ result_type: 'protocol_error', code, message: 'gone' }))
      await test.other.ready()
      const call = test.invoker.once(test.to('orders::get'), toCall(), {})
      await expect(call).rejects.toMatchObject({ code: RPC.internal, message: 'gone' })
    },
  )
})
