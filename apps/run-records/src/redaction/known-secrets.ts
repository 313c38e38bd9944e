import { REDACTED } from '@iii/protocol/redaction'
import { createNeedles } from './needles.ts'

/** The secrets that were taken out of what a run has seen so far. What a function says again may have them under any name, or in a sentence. */
export interface KnownSecrets {
  /** @param value as it was @param clean the same without its secrets */
  learn(value: unknown, clean: unknown): void
  /** The same, with nothing in it that was learned. */
  hide<T>(value: T): T
  /** What a function says about its failure, without those either that are short: there they are looked for as whole words. */
  hideInError(text: string): string
}

/** Shorter ones stand in too much by chance. */
const MIN_LENGTH = 6
/** Even shorter ones in errors, too. */
const MIN_WORD_LENGTH = 4
const MAX_SECRETS = 10_000
/** Each is looked for by itself. */
const MAX_WORDS = 1000
/** More of an error is never kept. */
const MAX_ERROR = 65_536

export function createKnownSecrets(): KnownSecrets {
  const texts = new Set<string>()
  /** All ways to write them. */
  const spellings = createNeedles(MIN_LENGTH)
  const words = new Map<string, RegExp>()

  function add(secret: unknown): void {
    if (typeof secret === 'string') addText(secret)
    else if (typeof secret === 'number') addWord(String(secret))
    else if (isObject(secret)) for (const part of Object.values(secret)) add(part)
  }

  function addText(secret: string): void {
    if (secret.length < MIN_LENGTH) addWord(secret)
    else if (secret !== REDACTED && texts.size < MAX_SECRETS && !texts.has(secret)) {
      texts.add(secret)
      for (const spelling of toSpellings(secret)) spellings.add(spelling)
    }
  }

  function addWord(word: string): void {
    if (word.length >= MIN_WORD_LENGTH && words.size < MAX_WORDS) words.set(word, toWholeWord(word))
  }

  function learn(value: unknown, clean: unknown): void {
    if (value === clean) return
    // A text of which a part was taken out is no secret as a whole.
    if (clean === REDACTED) add(value)
    if (!isObject(value) || !isObject(clean)) return
    for (const [key, part] of Object.entries(value)) {
      if (Object.hasOwn(clean, key)) learn(part, (clean as Record<string, unknown>)[key])
    }
  }

  const hideText = (text: string) => (texts.size === 0 ? text : spellings.replaceIn(text, REDACTED))

  function hide(value: unknown): unknown {
    if (texts.size === 0) return value
    if (typeof value === 'string') return hideText(value)
    if (Array.isArray(value)) return value.map(hide)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [hideText(key), hide(part)]))
  }

  return {
    learn,
    hide: <T>(value: T) => hide(value) as T,
    hideInError(text) {
      const shown = hideText(text).slice(0, MAX_ERROR)
      return [...words.values()].reduce((rest, word) => rest.replace(word, REDACTED), shown)
    },
  }
}

/** As it is, within JSON, within JSON of ASCII alone, and within an address. */
function toSpellings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const ascii = json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const address = encodeURIComponent(secret.toWellFormed())
  return [...new Set([secret, json, ascii, address])]
}

function toWholeWord(word: string): RegExp {
  const literal = word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu')
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
