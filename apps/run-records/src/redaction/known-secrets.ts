import { REDACTED } from '@iii/protocol/redaction'

/** The secrets that were taken out of what a run has seen so far. What a function says again may have them under any name, or in a sentence. */
export interface KnownSecrets {
  /** @param value as it was @param clean the same without its secrets */
  learn(value: unknown, clean: unknown): void
  /** The same, with nothing in it that was learned. */
  hide<T>(value: T): T
}

/** Shorter ones stand in too much by chance. */
const MIN_LENGTH = 6
const MAX_SECRETS = 1000

export function createKnownSecrets(): KnownSecrets {
  const known = new Set<string>()

  function add(secret: unknown): void {
    if (typeof secret === 'string') {
      if (secret.length >= MIN_LENGTH && secret !== REDACTED && known.size < MAX_SECRETS) known.add(secret)
    } else if (isObject(secret)) {
      for (const part of Object.values(secret)) add(part)
    }
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

  const hideText = (text: string) => [...known].reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text)

  function hide(value: unknown): unknown {
    if (known.size === 0) return value
    if (typeof value === 'string') return hideText(value)
    if (Array.isArray(value)) return value.map(hide)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [hideText(key), hide(part)]))
  }

  return { learn, hide: <T>(value: T) => hide(value) as T }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
