import { toToolResult } from '@iii/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toDataResult } from './data-result.ts'
import { readyMembers } from './rpc.ts'
import { toShownResult } from './shown-result.ts'

const MAX_BYTES = 1_000
const call = { capabilities: {}, revision: '2025-11-25' }

function read(value: unknown): unknown {
  const ready = toDataResult(value, call, MAX_BYTES)
  return ready && JSON.parse(`{${readyMembers(ready)}}`)
}

describe('the result of data', () => {
  it('is the one that any other way makes of it', () => {
    const values = fc.oneof(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.jsonValue())
    fc.assert(
      fc.property(values, (value) => {
        const whole = toToolResult(value)
        const isCut = toShownResult(whole, noFacts, call, MAX_BYTES) !== whole
        const isData = whole.structuredContent !== undefined && !isCut && !Object.hasOwn(value as object, 'content')
        expect(read(value)).toEqual(isData ? JSON.parse(JSON.stringify(whole)) : undefined)
      }),
    )
  })

  it('has halves of characters mended in both', () => {
    expect(read({ 'a\ud800': '\udc00b' })).toEqual(toToolResult({ 'a\ud800': '\udc00b' }))
  })

  it('is not made of what may be a result already, or writes itself as something else', () => {
    for (const value of [{ content: [] }, { content: 'a text' }, new Date(0), ['a'], 'a', 7, null, undefined]) {
      expect(toDataResult(value, call, MAX_BYTES)).toBeUndefined()
    }
  })

  it('is not made for a client that reads the data alone', () => {
    const capabilities = { experimental: { 'iii/structured-content': {} } }
    expect(toDataResult({ a: 1 }, { capabilities }, MAX_BYTES)).toBeUndefined()
  })

  it('is not larger than it may be', () => {
    const largest = { a: 'é'.repeat((MAX_BYTES / 2 - '{"a":""}'.length) / 2) }
    expect([read(largest), read({ a: `${largest.a}b` })]).toEqual([toToolResult(largest), undefined])
  })
})

function noFacts() {
  return { hasOutputSchema: false, takes: () => [], link: () => undefined }
}
