import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'

/** What the `$names` of a trace stand for in one run: each takes its value where it is met first, and keeps it. */
export interface Placeholders {
  isName(name: string): boolean
  declare(name: string, kind: string): void
  /** The value of a name; one that has none yet becomes a fresh UUID. */
  valueOf(name: string): unknown
  /** Whether a name has this value, or may take it. */
  take(name: string, value: unknown): boolean
  /** Forgets the value of a name. */
  free(name: string): void
  /** The same names, for a comparison that may fail. */
  copy(): Placeholders
}

const KINDS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  hex: /^[0-9a-f]+$/,
  traceparent: /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/,
}

export function createPlaceholders(
  kinds: Readonly<Record<string, string>>,
  given: ReadonlyMap<string, unknown>,
): Placeholders {
  const declared = new Map(Object.entries(kinds))
  const values = new Map(given)
  return {
    isName: (name) => declared.has(name) || values.has(name),
    declare: (name, kind) => void declared.set(name, kind),
    valueOf(name) {
      if (!values.has(name)) values.set(name, randomUUID())
      return values.get(name)
    },
    take(name, value) {
      if (values.has(name)) return isDeepStrictEqual(values.get(name), value)
      const kind = KINDS[declared.get(name) ?? '']
      if (kind && !(typeof value === 'string' && kind.test(value))) return false
      values.set(name, value)
      return true
    },
    free: (name) => void values.delete(name),
    copy: () => createPlaceholders(Object.fromEntries(declared), values),
  }
}

const NAME = /\$([a-z][a-z0-9_]*)/g

/** Puts values in the place of names, in a value that is to be sent. */
export function fill(value: unknown, names: Placeholders): unknown {
  if (typeof value === 'string') return fillText(value, names)
  if (Array.isArray(value)) return value.map((item) => fill(item, names))
  if (value === null || typeof value !== 'object') return value
  return toLongValue(value) ?? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, names)]))
}

function fillText(text: string, names: Placeholders): unknown {
  const whole = text.slice(1)
  if (text.startsWith('$') && names.isName(whole)) return names.valueOf(whole)
  return text.replace(NAME, (token, name: string) => (names.isName(name) ? String(names.valueOf(name)) : token))
}

/** Values that are too long to stand in a file: `{$repeat: ["a", 3]}` and `{$nest: 3}`. */
export function toLongValue(value: object): unknown {
  if ('$repeat' in value) {
    const [text, times] = value.$repeat as [string, number]
    return text.repeat(times)
  }
  if ('$nest' in value) {
    const depth = Number(value.$nest)
    return JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown
  }
  return undefined
}
