import { describe, expect, it } from 'vitest'
import { formatCall, formatError, formatResult, parseFrame } from './frames.ts'

describe('incoming frames', () => {
  it.each([
    'not json',
    '"text"',
    'null',
    '[]',
    '{}',
    '{"type":5}',
    '{"type":"constructor"}',
    '{"type":"unheard-of"}',
    '{"type":"invokefunction"}',
    '{"type":"invokefunction","function_id":7}',
    '{"type":"invocationresult"}',
    '{"type":"registertrigger","id":"a"}',
  ])('does not take %s for a frame', (text) => {
    expect(parseFrame(text)).toBeUndefined()
  })

  it('keeps a __proto__ key a plain key', () => {
    const frame = parseFrame('{"type":"invokefunction","function_id":"f","data":{"__proto__":{"polluted":true}}}')
    const { data } = frame as { data: object }
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
    expect(Object.hasOwn(data, '__proto__')).toBe(true)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('outgoing frames', () => {
  it('writes a call with everything it carries', () => {
    const text = formatCall({
      invocationId: 'i-1',
      functionId: 'a::"b"',
      payload: { x: 1 },
      metadata: { m: 1 },
      action: { type: 'enqueue', queue: 'q' },
      trace: { traceparent: 't', baggage: 'b' },
    })
    expect(JSON.parse(text)).toEqual({
      type: 'invokefunction',
      invocation_id: 'i-1',
      function_id: 'a::"b"',
      data: { x: 1 },
      metadata: { m: 1 },
      action: { type: 'enqueue', queue: 'q' },
      traceparent: 't',
      baggage: 'b',
    })
  })

  it('writes no half of an emoji, with which the engine drops a call without an answer, not in a name either', () => {
    const text = formatCall({
      invocationId: 'i',
      functionId: 'f\ud83d',
      payload: {},
      namespace: 'n\ud83d',
      action: { type: 'enqueue', queue: 'q\ude00' },
      trace: { traceparent: 't\ud83d', baggage: 'b\\ud83d\ud83d' },
    })
    expect(text).not.toMatch(/[^\\]\\ud/)
    expect(JSON.parse(text)).toMatchObject({
      function_id: 'f\ufffd',
      namespace: 'n\ufffd',
      action: { queue: 'q\ufffd' },
      traceparent: 't\ufffd',
      baggage: 'b\\ud83d\ufffd',
    })
  })

  it('always writes data, without which the engine drops a call', () => {
    expect(JSON.parse(formatCall({ invocationId: undefined, functionId: 'f', payload: undefined }))).toEqual({
      type: 'invokefunction',
      function_id: 'f',
      data: {},
    })
  })

  it.each([undefined, null])('leaves the result %s out', (result) => {
    expect(JSON.parse(formatResult('i', 'f', result))).toEqual({
      type: 'invocationresult',
      invocation_id: 'i',
      function_id: 'f',
    })
  })

  it.each([0, false, '', []])('keeps the falsy result %j', (result) => {
    expect(JSON.parse(formatResult('i', 'f', result))).toMatchObject({ result })
  })

  it('cuts an endless error message', () => {
    const text = formatError('i', 'f', { code: 'c', message: '\ud83d'.repeat(3_000_000) })
    expect(text.length).toBeLessThan(1_100_000)
    expect(text).not.toContain('\\ud83d')
  })
})
