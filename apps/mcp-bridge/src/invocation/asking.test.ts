import { startMockEngine } from '@iii/mock-engine'
import type { JsonObject } from '@iii/protocol'
import type { CancelSignal } from '@iii/sdk'
import { describe, expect, it } from 'vitest'
import { RPC, RpcError } from '../mcp/rpc.ts'
import { createReach, offerAsking, startInvoker, toCall } from '../testing/invoker.ts'
import type { CallReply } from './asking.ts'

const name = {
  method: 'elicitation/create',
  params: {
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
}
const sample = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 },
}
const roots = { method: 'roots/list' }
const accepted = { action: 'accept', content: { name: 'Ada' } }
const capabilities = { elicitation: {}, sampling: {}, roots: {} }
const answering = (result: unknown) => ({ result, by: undefined })
const stateless = { era: 'stateless' as const, capabilities }

function toResult(outcome: CallReply): JsonObject {
  if (outcome.kind === 'value') throw new Error('nothing was asked')
  return outcome.result
}

describe('a client of 2026-07-28', () => {
  it('is asked by a result, and the function runs again with the answers and what it kept', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    const seen = await offerAsking(test, [{ user_name: name }, { more: sample, where: roots }])
    const ask = (params: object) =>
      test.invoker.run(test.to('orders::ask'), toCall(stateless), { name: 'x', ...params })
    const first = await ask({ arguments: { a: 1, b: { c: 2, d: 3 } } })
    expect(first).toEqual({
      kind: 'input_required',
      result: {
        resultType: 'input_required',
        inputRequests: { user_name: name },
        requestState: expect.stringMatching(/^[\w-]{40,}$/),
      },
    })
    const { requestState } = toResult(first)
    // The keys of the arguments come back in another order.
    const again = { arguments: { b: { d: 3, c: 2 }, a: 1 }, inputResponses: { user_name: accepted }, requestState }
    const second = await ask(again)
    const result = toResult(second)
    expect(result['inputRequests']).toEqual({ more: sample, where: roots })
    expect(result['requestState']).not.toBe(requestState)
    const answers = {
      more: { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' },
      where: { roots: [{ uri: 'file:///a' }] },
    }
    const last = await ask({ ...again, inputResponses: answers, requestState: result['requestState'] })
    expect(last).toEqual({ kind: 'value', value: 'done' })
    expect(seen).toEqual([
      [undefined, undefined],
      [{ user_name: accepted }, '1'],
      [answers, '2'],
    ])
  })

  it('repeats its request of a function that keeps something and asks nothing', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    test.other.registerFunction('orders::wait', () => ({ result_type: 'input_required', request_state: 'order 7' }))
    await test.other.ready()
    const outcome = await test.invoker.run(test.to('orders::wait'), toCall(stateless), {})
    expect(toResult(outcome)).toMatchObject({ inputRequests: {}, requestState: expect.any(String) })
  })

  it.each<[string, object]>([
    ['answers that are null', { inputResponses: null }],
    ['answers that are a list', { inputResponses: [] }],
    ['an answer that is a number', { inputResponses: { user_name: 12_345 } }],
    ['an answer with an action that does not exist', { inputResponses: { user_name: { action: 'maybe' } } }],
    ['a state that was changed', { inputResponses: { user_name: accepted }, requestState: 'abc-TAMPERED' }],
    ['a state that is no text', { requestState: 7 }],
  ])('is refused with %s', async (_, params) => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    const seen = await offerAsking(test, [{ user_name: name }])
    const call = test.invoker.run(test.to('orders::ask'), toCall(stateless), params as Record<string, unknown>)
    await expect(call).rejects.toMatchObject({
      code: RPC.invalidParams,
      message: expect.stringMatching(/^Invalid params/),
    })
    expect(seen).toEqual([])
  })

  it('cannot use the state of one request for another one', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    await offerAsking(test, [{ user_name: name }])
    const run = (params: Record<string, unknown>) => test.invoker.run(test.to('orders::ask'), toCall(stateless), params)
    const first = await run({ name: 'x', arguments: { amount: 1 } })
    const { requestState } = toResult(first)
    const answered = { inputResponses: { user_name: accepted }, requestState }
    const changed = run({ name: 'x', arguments: { amount: 1000 }, ...answered })
    await expect(changed).rejects.toMatchObject({ code: RPC.invalidParams })
    expect(await run({ name: 'x', arguments: { amount: 1 }, ...answered })).toEqual({ kind: 'value', value: 'done' })
  })

  it.each<[string, object, object, object]>([
    ['sampling', { s: sample }, {}, { sampling: {} }],
    ['several at once', { s: sample, r: roots, n: name }, { sampling: {} }, { roots: {}, elicitation: { form: {} } }],
    ['forms, when it only opens links', { n: name }, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    [
      'links, when it only has forms',
      { n: { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in', url: 'https://a.test' } } },
      { elicitation: {} },
      { elicitation: { url: {} } },
    ],
    [
      'sampling with tools',
      { s: { ...sample, params: { ...sample.params, tools: [] } } },
      { sampling: {} },
      { sampling: { tools: {} } },
    ],
  ])('reads what it would have to declare: %s', async (_, questions, declared, requiredCapabilities) => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    await offerAsking(test, [questions])
    const call = toCall({ era: 'stateless', capabilities: declared as Record<string, unknown> })
    await expect(test.invoker.run(test.to('orders::ask'), call, {})).rejects.toMatchObject({
      code: RPC.missingCapability,
      data: { requiredCapabilities },
    })
  })
})

describe('a client with a session', () => {
  it('is asked everything at once while its request waits, round after round', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    const seen = await offerAsking(test, [{ user_name: name, where: roots }, { more: sample }])
    const asked: unknown[] = []
    let both: () => void = () => undefined
    const together = new Promise<void>((resolve) => {
      both = resolve
    })
    const answers: Record<string, unknown> = {
      'elicitation/create': accepted,
      'roots/list': { roots: [] },
      'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' },
    }
    const reach = createReach(async (method, params) => {
      asked.push([method, params])
      if (asked.length === 2) both()
      await together
      return answering(answers[method])
    })
    const call = toCall({ capabilities, reach })
    expect(await test.invoker.run(test.to('orders::ask'), call, {})).toEqual({ kind: 'value', value: 'done' })
    expect(asked).toEqual([
      ['elicitation/create', name.params],
      ['roots/list', {}],
      ['sampling/createMessage', sample.params],
    ])
    expect(seen).toEqual([
      [undefined, undefined],
      [{ user_name: accepted, where: { roots: [] } }, '1'],
      [{ more: answers['sampling/createMessage'] }, '2'],
    ])
  })

  it("takes its time, which is not the function's", async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    await offerAsking(test, [{ user_name: name }])
    const reach = createReach(async () => {
      await new Promise((resolve) => setTimeout(resolve, 400))
      return answering(accepted)
    })
    const limits = { timeoutMs: 300, plainMs: 300, replyBytes: 1_000 }
    const call = toCall({ capabilities, reach, limits })
    expect(await test.invoker.run(test.to('orders::ask'), call, {})).toEqual({ kind: 'value', value: 'done' })
  })

  it.each<[string, Parameters<typeof createReach>[0], object, RegExp]>([
    ['on a carrier that cannot ask', undefined, capabilities, /cannot be asked here. It would be asked: "Your name\?"/],
    ['without the capability', async () => answering(accepted), { sampling: {} }, /this client cannot be asked here/],
    [
      'that refuses',
      () => Promise.reject(new RpcError(-1, 'User rejected the request')),
      capabilities,
      /gave no answer \(elicitation\/create\): User rejected the request/,
    ],
    ['that answers nonsense', async () => answering('yes'), capabilities, /its answer cannot be read/],
  ])('%s gets a failure in words', async (_, ask, declared, words) => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    await offerAsking(test, [{ user_name: name }])
    const call = toCall({ capabilities: declared as Record<string, unknown>, reach: createReach(ask) })
    await expect(test.invoker.run(test.to('orders::ask'), call, {})).rejects.toThrow(words)
  })

  it('is told the beginning of a long question that it cannot be asked', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    await offerAsking(test, [{ user_name: { ...name, params: { ...name.params, message: '😀'.repeat(1_000) } } }])
    const call = toCall({ capabilities, reach: createReach(undefined) })
    await expect(test.invoker.run(test.to('orders::ask'), call, {})).rejects.toThrow(`asked: "${'😀'.repeat(124)}…".`)
  })

  it('needs no way to be asked where a function only wants to be called again with what it keeps', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    const seen = await offerAsking(test, [{}, {}])
    const call = toCall({ reach: createReach() })
    expect(await test.invoker.run(test.to('orders::ask'), call, {})).toEqual({ kind: 'value', value: 'done' })
    expect(seen).toEqual([
      [undefined, undefined],
      [{}, '1'],
      [{}, '2'],
    ])
  })

  it('is asked eight times and no more', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    const seen = await offerAsking(test, Array(20).fill({ user_name: name }))
    let asked = 0
    const reach = createReach(async () => {
      asked += 1
      return answering(accepted)
    })
    const call = toCall({ capabilities, reach })
    await expect(test.invoker.run(test.to('orders::ask'), call, {})).rejects.toThrow(/has asked 8 times/)
    expect([asked, seen.length]).toEqual([8, 9])
  })

  it('that leaves gives up all questions that are still open', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    await offerAsking(test, [{ user_name: name, where: roots }])
    const signals: CancelSignal[] = []
    const reach = createReach((method, _, signal) => {
      signals.push(signal)
      return method === 'roots/list' ? Promise.reject(new RpcError(-1, 'no')) : new Promise(() => undefined)
    })
    const call = toCall({ capabilities, reach })
    await expect(test.invoker.run(test.to('orders::ask'), call, {})).rejects.toThrow(/gave no answer .*: no/)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })
})
