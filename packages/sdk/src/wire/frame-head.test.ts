import { describe, expect, it } from 'vitest'
import { parseInvocationHead } from './frame-head.ts'

const id = '0dbd3d0c-9b7c-4f0e-9d5a-6f0f0d7a1b11'

describe('the head of a frame', () => {
  it.each([
    [
      'as the engine writes it',
      `{"type":"invokefunction","invocation_id":"${id}","function_id":"a::b","data":{"x":1}}`,
    ],
    ['in another order', `{"function_id":"a::b","type":"invokefunction","invocation_id":"${id}","data":[1]}`],
    ['with spaces', `{ "type" : "invokefunction", "invocation_id" : "${id}", "function_id" : "a::b", "data" : null }`],
    [
      'cut within data',
      `{"type":"invokefunction","invocation_id":"${id}","function_id":"a::b","data":"${'x'.repeat(9000)}`,
    ],
  ])('tells who is called %s', (_, text) => {
    expect(parseInvocationHead(Buffer.from(text))).toEqual({ functionId: 'a::b', invocationId: id })
  })

  it('reads escapes in the function id', () => {
    const text = `{"type":"invokefunction","invocation_id":"${id}","function_id":"a\\"\\u00e9","data":1}`
    expect(parseInvocationHead(Buffer.from(text))?.functionId).toBe('a"é')
  })

  it.each([
    ['another type', `{"type":"invocationresult","invocation_id":"${id}","function_id":"a::b","result":1}`],
    [
      'data before the ids',
      `{"type":"invokefunction","data":{"function_id":"x","invocation_id":"y"},"function_id":"a"}`,
    ],
    ['not JSON', 'hello'],
    ['nothing', ''],
  ])('is unknown for %s', (_, text) => {
    expect(parseInvocationHead(Buffer.from(text))).toBeUndefined()
  })
})
