import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatRpcError, formatRpcResult, isRpcId, RPC, RpcError, toEnvelope } from './rpc.ts'

const request = { jsonrpc: '2.0', id: 1, method: 'ping' }

function problem(message: unknown): { id: unknown; code: number; message: string } {
  const envelope = toEnvelope(message)
  if (envelope.kind !== 'invalid') throw new Error(`${envelope.kind} is not invalid`)
  return { id: envelope.id, code: envelope.error.code, message: envelope.error.message }
}

describe('a JSON-RPC message', () => {
  it('is a request, a notification or a response', () => {
    expect(toEnvelope(request)).toEqual({ kind: 'request', id: 1, method: 'ping', params: {} })
    expect(toEnvelope({ ...request, id: 'a', params: { x: 1 } })).toMatchObject({ id: 'a', params: { x: 1 } })
    expect(toEnvelope({ jsonrpc: '2.0', method: 'notifications/initialized' }).kind).toBe('notification')
    expect(toEnvelope({ jsonrpc: '2.0', id: 7, result: {} }).kind).toBe('response')
    expect(toEnvelope({ jsonrpc: '2.0', id: 7, error: { code: 1, message: '' } }).kind).toBe('response')
  })

  it('may leave its params out or say null', () => {
    expect(toEnvelope({ ...request, params: null })).toMatchObject({ kind: 'request', params: {} })
  })

  it('is refused as a batch', () => {
    for (const batch of [[], [request]]) {
      expect(problem(batch)).toEqual({
        id: null,
        code: -32600,
        message: 'Batch requests are not supported',
      })
    }
  })

  it.each([null, 'ping', 7, true])('is refused when it is no object: %j', (message) => {
    expect(problem(message)).toMatchObject({ id: null, code: -32600 })
  })

  it.each([
    [{ id: 1, method: 'ping' }],
    [{ ...request, jsonrpc: '1.0' }],
    [{ jsonrpc: '2.0', id: 1 }],
    [{ ...request, method: 7 }],
    [{ ...request, method: '' }],
  ])('is refused with its id when it is malformed: %j', (message) => {
    expect(problem(message)).toMatchObject({ id: 1, code: -32600 })
  })

  it('has a method of at most 256 characters', () => {
    expect(toEnvelope({ ...request, method: 'x'.repeat(256) }).kind).toBe('request')
    expect(problem({ ...request, method: 'x'.repeat(257) })).toEqual({
      id: 1,
      code: -32600,
      message: 'Invalid JSON-RPC request: "method" is too long (at most 256 characters)',
    })
  })

  it.each([null, 1.5, true, {}, [], 2 ** 53, 'x'.repeat(257)])('is refused for the id %j', (id) => {
    expect(isRpcId(id)).toBe(false)
    expect(problem({ ...request, id })).toMatchObject({ id: null, code: -32600 })
  })

  it.each(['', 'x'.repeat(256), 0, -3, Number.MAX_SAFE_INTEGER])('may have the id %j', (id) => {
    expect(toEnvelope({ ...request, id })).toMatchObject({ kind: 'request', id })
  })

  it.each([[[]], ['x'], [7]])('is refused for the params %j', (params) => {
    expect(problem({ ...request, params })).toMatchObject({ id: 1, code: RPC.invalidParams })
  })

  it.each(['__proto__', 'constructor', 'prototype'])('must not have the key %s where it is read', (key) => {
    const texts = [
      `{"jsonrpc":"2.0","id":1,"method":"ping","${key}":{}}`,
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"${key}":{}}}`,
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"${key}":{}}}}`,
    ]
    for (const text of texts) {
      expect(problem(JSON.parse(text))).toEqual({
        id: 1,
        code: -32600,
        message: `Invalid JSON-RPC request: the key '${key}' is not allowed`,
      })
    }
  })
})

describe('any JSON', () => {
  it('is one of the four kinds, with a usable id where it has one', () => {
    const part = fc.oneof(fc.jsonValue(), fc.constantFrom('2.0', 'ping', null, 1.5, 2 ** 60))
    const message = fc.record(
      { jsonrpc: part, id: part, method: part, params: part, result: part },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(message, fc.jsonValue()), (json) => {
        const envelope = toEnvelope(json)
        if ('id' in envelope && envelope.id !== null) expect(isRpcId(envelope.id)).toBe(true)
        if ('method' in envelope) expect(envelope.method).not.toBe('')
      }),
    )
  })
})

describe('a reply', () => {
  it('puts the id before a result that is text already', () => {
    expect(formatRpcResult('a"b', '{"x":1}')).toBe('{"jsonrpc":"2.0","id":"a\\"b","result":{"x":1}}')
  })

  it('says what went wrong without stack or path', () => {
    const error = new RpcError(RPC.internal, "cannot read '/home/me/x.json'\n    at read (/srv/x.ts:1:2)", { uri: 'u' })
    expect(JSON.parse(formatRpcError(null, error))).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32603, message: "cannot read '<path>'", data: { uri: 'u' } },
    })
  })
})
