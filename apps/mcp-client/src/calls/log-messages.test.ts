import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { boundLogData, createLogPermits } from './log-messages.ts'

const filter = createSecretFilter(['s3cret-canary'])

describe('what a server logs during a call', () => {
  it('is handed on without secrets, and keeps head and tail of a long text', () => {
    expect(boundLogData({ a: 's3cret-canary' }, filter)).toEqual({ a: '<secret>' })
    expect(boundLogData(`HEAD${'x'.repeat(4e6)}TAIL`, filter)).toMatch(/^HEADx+\n\[… \d+ bytes .*\]\nx+TAIL$/)
    expect(boundLogData({ a: 'x'.repeat(20_000) }, filter)).toBe('[20008 bytes are left out here]')
    expect(boundLogData(undefined, filter)).toBe(null)
  })

  it('has at most 16 KiB, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 6_000 }), (text) => {
        const bounded = boundLogData(text + text + text, filter)
        expect(Buffer.byteLength(JSON.stringify(bounded))).toBeLessThanOrEqual(16 * 1024)
      }),
      { numRuns: 10 },
    )
  })

  it('goes on twenty times a second', () => {
    let now = 0
    const { take } = createLogPermits(() => now)
    const burst = () => Array.from({ length: 100 }, take).filter(Boolean).length
    expect(burst()).toBe(20)
    now = 999
    expect(burst()).toBe(0)
    now = 1_000
    expect(burst()).toBe(20)
  })
})
