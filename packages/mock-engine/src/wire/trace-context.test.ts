import { describe, expect, it } from 'vitest'
import { childTrace, forwardTrace, keptTrace } from './trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const VALID = `00-${TRACE}-${SPAN}-01`

// Measured on 0.22.1.
describe('a trace context', () => {
  it.each([
    [VALID, VALID],
    [` ${VALID} `, VALID],
    [`01-${TRACE}-${SPAN}-01`, VALID],
    [`cc-${TRACE}-${SPAN}-01-more`, VALID],
    [`0-${TRACE}-${SPAN}-1`, VALID],
    [`000-${TRACE}-${SPAN}-001`, VALID],
    [`00-${TRACE}-${SPAN}-02`, `00-${TRACE}-${SPAN}-00`],
    [`00-${TRACE}-1-01`, `00-${TRACE}-0000000000000001-01`],
    [`00-1-${SPAN}-01`, `00-${'1'.padStart(32, '0')}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-03`, undefined],
    [`00-${TRACE}-${SPAN}-ff`, undefined],
    [`ff-${TRACE}-${SPAN}-01`, undefined],
    [`00-${TRACE}-${SPAN}-01-x`, undefined],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
    [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
    ['bad', undefined],
  ])('with traceparent %j is passed on with %j', (traceparent, passed) => {
    expect(forwardTrace({ traceparent }, 'f')).toEqual({ traceparent: passed, baggage: 'iii.function.id=f' })
    const { traceparent: child = '' } = childTrace({ traceparent })
    if (passed === undefined) expect(child).not.toContain(TRACE)
    else expect(child).toMatch(new RegExp(`^${passed.slice(0, 36)}[0-9a-f]{16}-01$`))
  })

  it('names the function that is called, and has values alone', () => {
    const baggage = 'a=b;p=1,iii.function.id=z'
    expect(forwardTrace({ baggage }, 'f::a b').baggage).toBe('a=b,iii.function.id=f::a%20b')
    expect(forwardTrace({}, 'f')).toEqual({})
  })

  it('of an event has all entries of the caller, and where it is kept until then those beside a traceparent', () => {
    const baggage = 'a=b;p=1, iii.function.id = z'
    expect(childTrace({ baggage }).baggage).toBe('a=b;p=1,iii.function.id=z')
    expect(keptTrace({ traceparent: 'bad', baggage: 'a=b' }).baggage).toBe('a=b')
    expect(keptTrace({ baggage })).toEqual({})
  })
})
