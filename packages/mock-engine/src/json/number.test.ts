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

  it('loses no double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(formatDouble(value))).toBe(value)
        expect(formatNumber(formatDouble(value))).toBe(formatDouble(value))
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
