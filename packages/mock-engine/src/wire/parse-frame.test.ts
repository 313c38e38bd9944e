import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { ENGINES } from '../bus/generation.ts'
import { startMockEngine } from '../engine.ts'
import { parseFrame } from './parse-frame.ts'

const ID = '0af76519-16cd-43dd-8448-eb211c80319c'

describe('parseFrame', () => {
  it('does not look at members that the engine does not know', () => {
    const text = '{"type":"registertriggertype","id":"t","description":"d","namespace":"a"}'
    expect(parseFrame(text)).toMatchObject({ namespace: 'a' })
    const unknown = new Set(['namespace'])
    for (const odd of ['"a"', '5', '{}', '"a","namespace":"b"']) {
      expect(parseFrame(text.replace('"a"', odd), unknown)).toMatchObject({ id: 't', namespace: undefined })
    }
    for (const odd of ['5', '{}', '"a","namespace":"b"']) expect(parseFrame(text.replace('"a"', odd))).toBeUndefined()
  })

  it('reads a call with everything that may come along', () => {
    const frame = parseFrame(
      `{"data":{"b":1.0,"a":2},"function_id":"f","type":"invokefunction","invocation_id":"${ID.toUpperCase()}","metadata":null,"traceparent":"t","action":{"type":"enqueue","queue":"q"},"unknown":1,"unknown":2}`,
    )
    expect(frame).toEqual({
      type: 'invokefunction',
      invocationId: ID,
      functionId: 'f',
      data: '{"a":2,"b":1.0}',
      traceparent: 't',
      baggage: undefined,
      action: { type: 'enqueue', queue: 'q' },
      metadata: undefined,
    })
  })

  it.each([
    '{"type":"constructor"}',
    '{"type":"toString"}',
    '{"type":5}',
    '{"type":"registerfunction","id":"a","id":"b"}',
    '{"type":"registerfunction","id":"a","description":5}',
    '{"type":"registertrigger","id":"t","trigger_type":"x","function_id":"f"}',
    `{"type":"invocationresult","invocation_id":"${ID}","function_id":"f","error":"text"}`,
    `{"type":"invocationresult","function_id":"f","result":1}`,
    `{"type":"invocationresult","invocation_id":"${ID}","function_id":"f","traceparent":5}`,
    `{"type":"invocationresult","invocation_id":"${ID}","function_id":"f","baggage":{}}`,
  ])('drops %s', (text) => {
    expect(parseFrame(text)).toBeUndefined()
  })
})

const keys = [
  'id',
  'type',
  'function_id',
  'trigger_type',
  'config',
  'data',
  'invocation_id',
  'action',
  'error',
  'result',
  'namespace',
  'trigger_namespace',
]
const types = ['ping', 'reattach', 'registerfunction', 'unregisterfunction', 'registertriggertype', 'registertrigger']
const moreTypes = ['unregistertrigger', 'triggerregistrationresult', 'invokefunction', 'invocationresult', '__proto__']
const targets = [
  'state::set',
  'state::update',
  'engine::functions::info',
  'engine::register_trigger',
  'publish',
  'http',
  'cron',
]
const words = fc.constantFrom(...types, ...moreTypes, ...targets, ID, '*', '')
const values = fc.oneof(
  words,
  fc.jsonValue({ maxDepth: 2 }),
  fc.record({ type: words, path: words, value: words, scope: words }),
)
const frames = fc.record(
  { type: fc.constantFrom(...types, ...moreTypes), ...Object.fromEntries(keys.slice(2).map((key) => [key, values])) },
  { requiredKeys: ['type'] },
)

describe('the bus', () => {
  it.each(ENGINES)('of engine %s lives on whatever a worker sends', async (version) => {
    await using engine = await startMockEngine({ engine: version, namespaceGraceMs: 5 })
    const socket = new WebSocket(engine.url)
    await new Promise((resolve) => socket.on('open', resolve))
    fc.assert(
      fc.property(frames, (frame) => {
        socket.send(JSON.stringify(frame))
      }),
      { numRuns: 500 },
    )
    const pong = new Promise((resolve) =>
      socket.on('message', (data) => String(data) === '{"type":"pong"}' && resolve(true)),
    )
    socket.send('{"type":"ping"}')
    expect(await pong).toBe(true)
    expect(await engine.call('engine::health::check')).toMatchObject({ status: 'healthy' })
    socket.terminate()
  })
})
