import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDouble, formatNumber, spellDouble } from './number.ts'

describe('formatNumber', () => {
  it.each([
    ['0', '0'],
    ['-0', '-0.0'],
    ['9007199254740993', '9007199254740993'],
    ['18446744073709551615', '18446744073709551615'],
    ['18446744073709551616', '1.8446744073709552e+19'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['-9223372036854775809', '-9.223372036854776e+18'],
    ['1.0', '1.0'],
    ['1e2', '100.0'],
    ['1e15', '1000000000000000.0'],
    ['1e16', '1e+16'],
    ['123456789012345680.0', '1.2345678901234568e+17'],
    ['0.00001234', '0.00001234'],
    ['1e-5', '0.00001'],
    ['1e-6', '1e-6'],
    ['12345.678e-10', '1.2345678e-6'],
    ['5e-324', '5e-324'],
    ['1e400', undefined],
    ['-1e400', undefined],
  ])('writes %s as %s', (raw, text) => {
    expect(formatNumber(raw)).toBe(text)
  })

  // Measured on 0.22.1 and 0.23.0-rc.4, whose parser (serde_json) is built without `float_roundtrip`.
  it.each([
    ['935.5411532380309', '935.5411532380308'],
    ['408671.05138478597', '408671.051384786'],
    ['0.0009082821036616759', '0.000908282103661676'],
    ['9.193975035693822e-11', '9.193975035693821e-11'],
    ['3.287330301520311e-17', '3.2873303015203105e-17'],
    ['123456789012345678901', '1.2345678901234567e+20'],
    ['179769313486231580793728971405301e276', undefined],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['2.2250738585072014e-308', '2.2250738585072014e-308'],
    ['1e-400', '0.0'],
    ['0e400', '0.0'],
  ])('writes %s, more digits than the parser of the engine is exact for, as %s', (raw, text) => {
    expect(formatNumber(raw)).toBe(text)
  })

  it('loses no number of fifteen digits', () => {
    const digits = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 })
    fc.assert(
      fc.property(digits, fc.integer({ min: -22, max: 22 }), (significand, power) => {
        const raw = `${significand}e${power}`
        expect(Number(formatNumber(raw))).toBe(Number(raw))
      }),
    )
  })

  it('loses no more of a double than its last digits', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 }), (value) => {
        expect(Number(formatDouble(value))).toBe(value)
        const read = Number(formatNumber(formatDouble(value)))
        expect(Math.abs(read - value)).toBeLessThanOrEqual(Math.max(Math.abs(value) * 1e-15, 1e-322))
      }),
    )
  })
})

describe('spellDouble', () => {
  it.each([
    [1, '1'],
    [-0, '-0'],
    [-12.5, '-12.5'],
    [1e-7, '0.0000001'],
    [123_456, '123456'],
    [1e21, '1000000000000000000000'],
    [1.5e22, '15000000000000000000000'],
  ])('writes %s as %s', (value, text) => {
    expect(spellDouble(value)).toBe(text)
  })

  it('loses no double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(spellDouble(value))).toBe(value)
        expect(spellDouble(value)).toMatch(/^-?\d+(\.\d*[1-9])?$/)
      }),
    )
  })
})
