import { startMockEngine } from '@iii/mock-engine'
import { Fault, readMcpSidecar } from '@iii/protocol'
import { describe, expect, it } from 'vitest'
import { UNREACHABLE } from '../mcp/call.ts'
import { CANCELLED, ENDED, LEFT, STOPPING } from '../mcp/exchange.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import { createReach, startInvoker, toCall } from '../testing/invoker.ts'
import { untilAnswer } from '../testing/until.ts'

const params = { _meta: { progressToken: 'p1' } }

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
    const drop = async (key: string) => expect(await ask({ [key]: 1 })).toEqual({ kind: 'value', value: 'none' })
    await expect(drop).toTakeLinearTime((count) => `c${'.mcp.'.repeat(count)}`, 50_000)
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
    expect(told).toEqual([{ call_id: started[0] }])
  })

  it('is told past its deadline, which it may set shorter itself', async () => {
    await using all = await running({ cancel: 'mcp-cancel::orders', timeout_ms: 50 })
    const { test, cancelled, started, invocation } = all
    const error = await test.invoker.once(invocation, toCall(), params).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Fault)
    expect(error).toMatchObject({
      code: 'deadline',
      message:
        'orders::slow did not answer within 0.1 s. The outcome is unknown: it may still finish. It was not called again. (0.1 s is what the function asks for in its metadata, mcp.timeout_ms.)',
    })
    const told = await untilAnswer(
      () => cancelled,
      (all) => all.length === 1,
    )
    expect(told).toEqual([{ call_id: started[0], reason: 'deadline' }])
  })

  it.each([
    ['mcp-cancel::orders', CANCELLED, {}],
    ['mcp-cancel::orders', LEFT, {}],
    ['mcp-cancel::orders', ENDED, {}],
    ['mcp-cancel::orders', STOPPING, { reason: 'deadline' }],
    ['mcp-cancel::orders', new RpcError(RPC.overloaded, 'No reply within 25 s'), { reason: 'deadline' }],
    ['orders::stop', STOPPING, {}],
  ])('is told by %s, after "%s", that it may go on by itself: %o', async (cancel, reason, why) => {
    await using all = await running({ cancel })
    const { test, cancelled, started, invocation } = all
    const leave = new AbortController()
    const call = test.invoker.once(invocation, toCall({ signal: leave.signal }), params)
    call.catch(() => undefined)
    await untilAnswer(
      () => started.length,
      (count) => count === 1,
    )
    leave.abort(reason)
    const told = await untilAnswer(
      () => cancelled,
      (all) => all.length === 1,
    )
    expect(told).toEqual([{ call_id: started[0], ...why }])
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
