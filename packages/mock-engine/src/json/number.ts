const MAX_UNSIGNED = 18446744073709551615n
const MIN_SIGNED = -9223372036854775808n

/**
 * Rewrites a JSON number as the engine does: 64-bit integers stay exact, every other number becomes a double.
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
  const value = Number(raw)
  return Number.isFinite(value) ? formatDouble(value) : undefined
}

/** Shortest digits of a double in the engine's layout: a plain fraction between 1e-5 and 1e16, `1e+16` style outside. */
export function formatDouble(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential().split('e')
  const digits = mantissa.replace('.', '')
  const exponent = Number(power)
  return (value < 0 ? '-' : '') + layout(digits, exponent)
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
