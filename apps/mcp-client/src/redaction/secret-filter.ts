import { toVisible } from '@iii/protocol'
import { REDACTED } from '@iii/protocol/redaction'
import { createAnyOf } from './any-of.ts'
import { toEncodings, toEscapedPattern, toPattern, toPercentPattern } from './encodings.ts'
import { mapTexts } from './map-texts.ts'

/** Takes the secrets that a server was given out of what it says. */
export interface SecretFilter {
  text(text: string): string
  /**
   * All texts of a JSON value, keys too; what lies deeper than 100 levels is left out.
   *
   * @param onDeep told that something was left out
   */
  value<T>(value: T, onDeep?: () => void): T
  /** The most characters in which a secret may be written: so many at the end of a text that was cut may be a part of one. */
  readonly reach: number
}

/** Shorter ones stand in every other text by chance, and are no secrets to anybody who can count. */
const MIN_LENGTH = 4
/** Shorter ones are only found as they are, where no letter or digit is beside them: their encodings are too short. */
const MIN_ENCODED_LENGTH = 8
/** Longer ones are not looked for with single characters encoded. */
const MAX_MIXED_LENGTH = 1_024
/** Of one character, escaped for JSON twice and encoded once more. */
const MAX_WRITTEN_LENGTH = 9
/** Of a key of several lines each line is looked for, as far as it is long enough to be a part of the key. */
const MIN_LINE_LENGTH = 16
const MAX_LINES = 200

/**
 * Finds secrets as they are, and in JSON, HTML, base64 (of anything that has them in it, also wrapped), base64url, hex and percent-encoding.
 * `<secret>` takes their place. All texts are well-formed afterwards.
 */
export function createSecretFilter(given: readonly string[]): SecretFilter {
  // Whoever uses one takes the blanks around it away.
  const secrets = [...new Set(given.flatMap((secret) => [secret, secret.trim()]))]
  const steps = toSteps(secrets)
  const numbers = new Set(secrets.filter((secret) => secret.length >= MIN_LENGTH))
  // Most keys of objects are shorter than any writing of a secret.
  const shortest = Math.min(MIN_LINE_LENGTH, ...secrets.map(({ length }) => Math.max(MIN_LENGTH, length)))
  const text = (found: string) => {
    let clean = found.isWellFormed() ? found : found.toWellFormed()
    if (clean.length < shortest) return clean
    for (const step of steps) clean = step(clean)
    return clean
  }
  const number = numbers.size === 0 ? undefined : (found: number) => (numbers.has(String(found)) ? REDACTED : found)
  const reach = MAX_WRITTEN_LENGTH * Math.max(0, ...secrets.map(({ length }) => length))
  return { text, value: <T>(value: T, onDeep?: () => void) => mapTexts(value, { text, number, onDeep }) as T, reach }
}

type Step = (text: string) => string

function toSteps(secrets: readonly string[]): Step[] {
  // What stands in the marker would be found in it again and again.
  const usable = [...new Set(secrets)].filter((secret) => secret.length >= MIN_LENGTH && !REDACTED.includes(secret))
  const long = usable.filter((secret) => secret.length >= MIN_ENCODED_LENGTH).map((secret) => secret.toWellFormed())
  const short = usable.filter((secret) => secret.length < MIN_ENCODED_LENGTH)
  const encodings = long.map(toEncodings)
  const plain = [...encodings.flatMap((one) => one.plain), ...long.flatMap(toLines)]
  const base64 = encodings.flatMap((one) => one.base64)
  // A secret may be the beginning of another one.
  const exact = [...byLength(plain).map(replaceText), ...byLength(base64).map(replaceBase64)]
  const mixed = long.filter(({ length }) => length <= MAX_MIXED_LENGTH)
  return [
    onlyWhere(createAnyOf([...plain, ...base64]), exact),
    replaceWrapped(base64),
    onlyWhere(hasPercent, long.map(replacePercent)),
    onlyWhere(hasPlus, long.filter((secret) => secret.includes(' ')).map(replacePercent)),
    onlyWhere(hasEscapes, mixed.map(replaceEscaped)),
    ...byLength(short).map(replaceWord),
  ]
}

/** What a text must have for any of these steps is looked for once. */
function onlyWhere(isNeeded: (text: string) => boolean, steps: readonly Step[]): Step {
  return (text) => (steps.length > 0 && isNeeded(text) ? steps.reduce((clean, step) => step(clean), text) : text)
}

function byLength(needles: readonly string[]): string[] {
  return [...new Set(needles)].sort((a, b) => b.length - a.length)
}

function toLines(secret: string): string[] {
  const lines = secret.split(/\r?\n|\\n/).map((line) => line.trim())
  return lines.length < 2 ? [] : lines.filter((line) => line.length >= MIN_LINE_LENGTH).slice(0, MAX_LINES)
}

function replaceText(needle: string): Step {
  return (text) => (text.includes(needle) ? text.replaceAll(needle, REDACTED) : text)
}

function replaceWord(word: string): Step {
  const pattern = new RegExp(`(?<![A-Za-z0-9])${toPattern(word)}(?![A-Za-z0-9])`, 'g')
  return (text) => (text.includes(word) ? text.replace(pattern, REDACTED) : text)
}

/** The letters on both sides have some bits of the secret. */
const LETTER = '[A-Za-z0-9+/_-]?'

function replaceBase64(core: string): Step {
  const pattern = new RegExp(`${LETTER}${toPattern(core)}${LETTER}={0,2}`, 'g')
  return (text) => (text.includes(core) ? text.replace(pattern, REDACTED) : text)
}

/** Base64 in lines, as mail and many programs write it. */
function replaceWrapped(cores: readonly string[]): Step {
  const hasAny = createAnyOf(cores)
  return (text) => {
    if (cores.length === 0 || !(text.includes('\n') || text.includes('\\n'))) return text
    const joined = joinLines(text)
    if (!hasAny(joined)) return text
    return cores.reduce(
      (clean, core) => (joined.includes(core) ? clean.replace(toWrapped(core), REDACTED) : clean),
      text,
    )
  }
}

/** Without blanks and breaks, also where those are escaped. What is not ASCII is no base64, and may become anything. */
function joinLines(text: string): string {
  const bytes = Buffer.from(text, 'latin1')
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === BACKSLASH && isBreak(bytes[at + 1])) at++
    else if (byte > BLANK) bytes[length++] = byte
  }
  return bytes.toString('latin1', 0, length)
}

const BLANK = 0x20
const BACKSLASH = 0x5c

/** As it is written behind a backslash. */
function isBreak(byte: number | undefined): boolean {
  return byte === 0x6e || byte === 0x72
}

function toWrapped(core: string): RegExp {
  return new RegExp([...core].map(toPattern).join('(?:\\s|\\\\[rn])*'), 'g')
}

const ESCAPE = /%[\da-fA-F]{2}/

function hasPercent(text: string): boolean {
  return text.includes('%') && ESCAPE.test(text)
}

/** It is a blank in forms. */
function hasPlus(text: string): boolean {
  return text.includes('+')
}

function replacePercent(secret: string): Step {
  if (secret.length > MAX_MIXED_LENGTH) return replaceText(encodeURIComponent(secret))
  const pattern = toPercentPattern(secret)
  return (text) => text.replace(pattern, REDACTED)
}

const ESCAPED = /\\u[\da-fA-F]{4}|&(?:[a-z]{2,4}|#\w{2,8});/

function hasEscapes(text: string): boolean {
  return (text.includes('\\u') || text.includes('&')) && ESCAPED.test(text)
}

function replaceEscaped(secret: string): Step {
  const pattern = toEscapedPattern(secret)
  return (text) => text.replace(pattern, REDACTED)
}

/** A text of a server without its secrets and what nobody sees: a secret may only come together once that is gone. */
export function toCleanText(text: string, filter: SecretFilter): string {
  return filter.text(toVisible(filter.text(text)))
}
