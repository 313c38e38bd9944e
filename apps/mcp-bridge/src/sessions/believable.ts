/** Clocks of machines that bridges run on differ, seldom by so much. */
const CLOCKS_DIFFER_MS = 24 * 3_600_000
/** Those of this version have 16 characters. */
const HANDLE = /^[A-Za-z0-9_-]{1,64}$/

/** Could a bridge have given it to a session? */
export function isHandle(name: string): boolean {
  return HANDLE.test(name)
}

/** Is it a time that a bridge writes, by its own clock? @param latest by ours; milliseconds since 1970 */
export function isTimely(time: unknown, latest: number): boolean {
  return isWithin(time, latest + CLOCKS_DIFFER_MS)
}

export function isWithin(value: unknown, most: number): boolean {
  return typeof value === 'number' && value >= 0 && value <= most
}
