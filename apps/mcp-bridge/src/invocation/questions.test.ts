import { startMockEngine } from '@iii/mock-engine'
import { describe, expect, it } from 'vitest'
import { offerAsking, startInvoker, toCall } from '../testing/invoker.ts'

const MANY_FIELDS = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`f${at}`, { type: 'string' }]))
const stateless = { era: 'stateless' as const, capabilities: { elicitation: {}, sampling: {}, roots: {} } }

describe('questions that no client can be asked', () => {
  const form = (properties: unknown) => ({
    n: { method: 'elicitation/create', params: { message: 'm', requestedSchema: { type: 'object', properties } } },
  })
  const sampling = (more: object) => ({
    s: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 9, ...more } },
  })
  it.each<[string, object, RegExp]>([
    ['another method', { n: { method: 'tools/list' } }, /input_requests.n: method must be one of elicitation\/create/],
    ['no message', { n: { method: 'elicitation/create', params: {} } }, /input_requests.n: needs a message/],
    ['a nested form', form({ a: { type: 'object', properties: {} } }), /properties.a is of type 'object'; a form has/],
    ['a list of numbers', form({ a: { type: 'array', items: { type: 'number' } } }), /lists of choices only/],
    ['a reference', form({ a: { $ref: '#/$defs/a' } }), /without a single type/],
    ['an unknown format', form({ a: { type: 'string', format: 'uuid' } }), /not one of email, uri, date, date-time/],
    ['sampling without a limit', { s: { method: 'sampling/createMessage', params: { messages: [] } } }, /maxTokens/],
    [
      'a link to a file',
      { n: { method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'file:///' } } },
      /http/,
    ],
    [
      'a link with a space in its host',
      { n: { method: 'elicitation/create', params: { mode: 'url', message: 'm', url: 'https://a b' } } },
      /http/,
    ],
    [
      'another mode',
      { n: { method: 'elicitation/create', params: { mode: 'page', message: 'm', requestedSchema: {} } } },
      /input_requests.n: params.mode must be 'form' or 'url'/,
    ],
    ['sampling with tools that are none', sampling({ tools: 'all' }), /params.tools: must be a list/],
    ['sampling with a choice that is none', sampling({ tools: [], toolChoice: { mode: 'some' } }), /toolChoice.mode/],
    ['a form without end', form(MANY_FIELDS), /they have \d+ bytes as JSON; at most 1048576 go at once/],
  ])('are a mistake of the function, in words: %s', async (_, questions, words) => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    await offerAsking(test, [questions])
    const call = toCall(stateless)
    await expect(test.invoker.run(test.to('orders::ask'), call, {})).rejects.toThrow(words)
  })

  it.each([[{ input_requests: [] }], [{ input_requests: { a: 1 } }], [{}], [{ input_requests: {} }]])(
    'are malformed: %o',
    async (returned) => {
      await using engine = await startMockEngine()
      await using test = await startInvoker(engine)
      test.other.registerFunction('orders::ask', () => ({ result_type: 'input_required', ...returned }))
      await test.other.ready()
      const call = test.invoker.run(test.to('orders::ask'), toCall(stateless), {})
      await expect(call).rejects.toMatchObject({ name: 'Fault', code: 'internal' })
    },
  )

  it('may be every kind of field that a form has', async () => {
    await using engine = await startMockEngine()
    await using test = await startInvoker(engine)
    const titled = [{ const: 'a', title: 'A' }]
    const questions = form({
      name: { type: 'string', default: 'John', minLength: 1 },
      mail: { type: 'string', format: 'email' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      verified: { type: 'boolean', default: true },
      untitledSingle: { type: 'string', enum: ['a', 'b'], default: 'a' },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1 },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    })
    await offerAsking(test, [questions])
    const outcome = await test.invoker.run(test.to('orders::ask'), toCall(stateless), {})
    expect(outcome).toMatchObject({ result: { inputRequests: questions } })
  })
})
