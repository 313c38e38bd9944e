const MAX_UNSIGNED = 18446744073709551615n
const MIN_SIGNED = -9223372036854775808n

/** Numbers so short have at most 15 digits, of which the engine makes the nearest double, too. */
const SHORT = 16

/**
 * Rewrites a JSON number as the engine does: 64-bit integers stay exact, every other number becomes a double, whose last
 * digit may change.
 *
 * @returns `undefined` for a number beyond the range of a double, which the engine cannot read.
 *
 * @example
 * formatNumber('1e2') // '100.0'
 */
export function formatNumber(raw: string): string | undefined {
  if (!/[.eE]/.test(raw) && raw !== '-0') {
    if (raw.length <= 15) return raw
    const integer = BigInt(raw)
    if (integer >= MIN_SIGNED && integer <= MAX_UNSIGNED) return raw
  }
  const value = raw.length <= SHORT && !/[eE]/.test(raw) ? Number(raw) : readDouble(raw)
  return Number.isFinite(value) ? formatDouble(value) : undefined
}

/** The double the engine makes of a number: as many digits as fit into 64 bits, put in their place by one multiplication or division. */
function readDouble(raw: string): number {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(raw) ?? []
  const digits = whole + fraction
  const first = Math.max(digits.search(/[1-9]/), 0)
  const taken = Math.min(digits.length, first + (BigInt(digits.slice(0, first + 20)) <= MAX_UNSIGNED ? 20 : 19))
  const value = shift(Number(BigInt(digits.slice(0, taken))), whole.length - taken + Number(power))
  return sign ? -value : value
}

function shift(value: number, power: number): number {
  if (value === 0) return 0
  if (power < -308) return shift(value / 1e308, power + 308)
  return power < 0 ? value / Number(`1e${-power}`) : value * Number(`1e${power}`)
}

/** Shortest digits of a double in the engine's layout: a plain fraction between 1e-5 and 1e16, `1e+16` style outside. */
export function formatDouble(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const { digits, exponent } = takeApart(value)
  return (value < 0 ? '-' : '') + layout(digits, exponent)
}

/** Shortest digits of a double, written out: neither an exponent nor a fraction of zero. */
export function spellDouble(value: number): string {
  const { digits, exponent } = takeApart(value)
  const whole = exponent < 0 ? '0' : digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = exponent < 0 ? '0'.repeat(-exponent - 1) + digits : digits.slice(exponent + 1)
  return `${value < 0 || Object.is(value, -0) ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

function takeApart(value: number): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential().split('e')
  return { digits: mantissa.replace('.', ''), exponent: Number(power) }
}

function layout(digits: string, exponent: number): string {
  if (exponent >= 0 && exponent < 16) {
    const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
    return `${whole}.${digits.slice(exponent + 1) || '0'}`
  }
  if (exponent < 0 && exponent >= -5) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  return `${digits.slice(0, 1)}${fraction}e${exponent < 0 ? '' : '+'}${exponent}`
}
