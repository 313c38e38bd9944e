import { randomBytes } from 'node:crypto'

/** Crockford's alphabet: no I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RUN_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const TIME_DIGITS = 10
const RANDOM_DIGITS = 16

let last = { at: -1, random: 0n }

/**
 * Makes the id of a run: a ULID, so that ids sort by time. Those of one process and one millisecond sort in the order in which they were made.
 *
 * @param now milliseconds since 1970
 */
export function createRunId(now: number = Date.now()): string {
  const random = now === last.at ? last.random + 1n : toBigInt(randomBytes(10))
  last = { at: now, random }
  return toDigits(BigInt(now), TIME_DIGITS) + toDigits(random, RANDOM_DIGITS)
}

/** Whether a text has the form of a run id. Everything that a client names is asked this before anything is read. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text)
}

/** When the run with that id was made, in milliseconds since 1970. */
export function toCreationTime(runId: string): number {
  return [...runId.slice(0, TIME_DIGITS)].reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0)
}

function toBigInt(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`)
}

function toDigits(value: bigint, count: number): string {
  let rest = value
  let digits = ''
  while (digits.length < count) {
    digits = ALPHABET.charAt(Number(rest % 32n)) + digits
    rest /= 32n
  }
  return digits
}
