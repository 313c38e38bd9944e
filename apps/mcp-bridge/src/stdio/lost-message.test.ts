import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLostMessage } from './lost-message.ts'

const big = 'x'.repeat(3_000)
const arbitraryId = fc.oneof(fc.string({ maxLength: 64 }), fc.maxSafeInteger())

function read(message: unknown) {
  const text = JSON.stringify(message)
  return readLostMessage({ beginning: text.slice(0, 1_024), end: text.slice(-1_024) })
}

describe('a message of which only the edges are left', () => {
  it('still tells its id where clients write it: first or last', () => {
    fc.assert(
      fc.property(arbitraryId, (id) => {
        const expected = { id, isResponse: false }
        expect(read({ jsonrpc: '2.0', id, method: 'tools/call', params: { big } })).toEqual(expected)
        expect(read({ method: 'tools/call', params: { big }, jsonrpc: '2.0', id })).toEqual(expected)
        expect(read({ method: 'tools/call', params: { big }, id, jsonrpc: '2.0' })).toEqual(expected)
        expect(read({ id, jsonrpc: '2.0', result: { big } })).toEqual({ id, isResponse: true })
        expect(read({ result: { big }, jsonrpc: '2.0', id })).toEqual({ id, isResponse: true })
        expect(read({ jsonrpc: '2.0', id, error: { code: 1, message: big } })).toEqual({ id, isResponse: true })
      }),
    )
  })

  it('never takes for its id what belongs to something else in it', () => {
    const none = { id: undefined, isResponse: false }
    for (const value of ['"id":7}', ',"id":7}', '\\",\\"id\\":7', { id: 7 }, [{ id: 7 }], { a: { id: 'x' } }]) {
      expect(read({ jsonrpc: '2.0', method: 'a', params: { big, value } })).toEqual(none)
      expect(read({ params: { value, big }, method: 'a', jsonrpc: '2.0' })).toEqual(none)
      expect(read({ params: { id: 7, big, value } })).toEqual(none)
    }
  })

  it('may be anything, and is looked at in no time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ maxLength: 200 }), (beginning, end) => {
        const { id } = readLostMessage({ beginning, end })
        expect(['undefined', 'string', 'number']).toContain(typeof id)
      }),
    )
    const startedAt = performance.now()
    for (const edge of [
      '"\\'.repeat(512),
      '{"method":"a",'.repeat(70),
      ' '.repeat(1_024),
      `,"id":"${'\\"'.repeat(500)}`,
    ])
      readLostMessage({ beginning: edge, end: edge })
    expect(performance.now() - startedAt).toBeLessThan(500)
  })
})
