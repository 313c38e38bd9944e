/**
 * Creates the clock that stamps registrations: RFC 3339, UTC, microseconds, and never the same time twice, so that a
 * later registration always has the later stamp — also when the machine's clock is set back.
 *
 * @param now milliseconds since 1970.
 *
 * @example
 * createStamps(() => 0)() // '1970-01-01T00:00:00.000000Z'
 */
export function createStamps(now: () => number = Date.now): () => string {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    last = Math.max(Math.floor(now()) * 1000, last + 1)
    const millis = Math.floor(last / 1000)
    const micros = String(last - millis * 1000).padStart(3, '0')
    return new Date(millis).toISOString().replace('Z', `${micros}Z`)
  }
}

/** Whoever writes to a scope directly may stamp a row with anything; a time takes far less than this. */
const MAX_STAMP_LENGTH = 100

export function isStampShort({ registered_at }: { registered_at: string }): boolean {
  return registered_at.length <= MAX_STAMP_LENGTH
}
