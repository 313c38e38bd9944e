import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatTraceparent, parseTraceparent, parseTracestate } from './trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const hex = (length: number) => {
  const digits = [...'0123456789abcdef'].map((digit) => fc.constant(digit))
  return fc
    .string({ unit: fc.oneof(...digits), minLength: length, maxLength: length })
    .filter((text) => !/^0+$/.test(text))
}

describe('a traceparent', () => {
  it('that is written is read as it was', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, isSampled) => {
        const context = { traceId, spanId, isSampled }
        expect(parseTraceparent(formatTraceparent(context))).toEqual(context)
      }),
    )
  })

  it('of a later version is read as far as this one goes', () => {
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-03-what-comes`)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      isSampled: true,
    })
  })

  it.each([
    ['no text', 7],
    ['nothing', ''],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['version 00 with more', `00-${TRACE}-${SPAN}-01-x`],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['too short', `00-${TRACE}-${SPAN}`],
    ['too long', `cc-${TRACE}-${SPAN}-01-${'x'.repeat(1_000)}`],
    ['a line break behind it', `00-${TRACE}-${SPAN}-01\n`],
  ])('that is %s is none', (_, value) => {
    expect(parseTraceparent(value)).toBeUndefined()
  })

  it('is read from anything without a throw', () => {
    fc.assert(fc.property(fc.anything(), (value) => void parseTraceparent(value)))
  })
})

describe('a tracestate', () => {
  it('is taken as it is, unless it is too long or no header', () => {
    expect(parseTracestate('vendor=a,other=b')).toBe('vendor=a,other=b')
    for (const value of [undefined, 7, '', 'nothing', 'a=\n', `a=${'x'.repeat(600)}`]) {
      expect(parseTracestate(value)).toBeUndefined()
    }
  })
})
