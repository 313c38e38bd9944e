import { quote, toItems, toMembers, toStringValue } from '../json/build.ts'
import { arrayText, formatObject, type JsonText } from '../json/json-text.ts'
import { formatNumber } from '../json/number.ts'
import { parseJson } from '../json/parse.ts'

/** What `${NAME}` stands for. */
export type PlaceholderValues = Readonly<Record<string, string>>

/** A value after its placeholders were filled in. */
export interface Expanded {
  readonly value: JsonText
  /** The names without value and default, as often as they stand; they stay as they were written. */
  readonly missing: readonly string[]
}

const PLACEHOLDER = /\$\{([^:}]+)(?::([^}]*))?\}/g

/**
 * Fills in `${NAME}` and `${NAME:default}` in every string of a value, keys excepted. A string that is nothing but one
 * placeholder becomes the number, boolean, null or JSON that its text reads as.
 */
export function expand(value: JsonText, env: PlaceholderValues): Expanded {
  const missing: string[] = []
  return { value: expandValue(value, env, missing), missing }
}

function expandValue(value: JsonText, env: PlaceholderValues, missing: string[]): JsonText {
  if (!value.includes('${')) return value
  const text = toStringValue(value)
  if (text !== undefined) return expandText(text, env, missing)
  const items = toItems(value)
  if (items) return arrayText(items.map((item) => expandValue(item, env, missing)))
  const members = [...(toMembers(value) ?? [])]
  return formatObject(new Map(members.map(([key, member]) => [key, expandValue(member, env, missing)])))
}

function expandText(text: string, env: PlaceholderValues, missing: string[]): JsonText {
  const before = missing.length
  const filled = text.replace(PLACEHOLDER, (token, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(env, name) ? env[name] : fallback
    if (value === undefined) missing.push(name)
    return value ?? token
  })
  const whole = PLACEHOLDER.exec(text)?.[0] === text
  PLACEHOLDER.lastIndex = 0
  return whole && missing.length === before ? toScalar(filled) : quote(filled)
}

const WORDS: ReadonlyMap<string, JsonText> = new Map([
  ...['true', 'True', 'TRUE'].map((word) => [word, 'true'] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, 'false'] as const),
  ...['null', 'Null', 'NULL', '~'].map((word) => [word, 'null'] as const),
])

/** Reads a text as YAML reads a plain one, as far as that is about scalars and JSON. */
function toScalar(text: string): JsonText {
  const bare = text.trim()
  const word = WORDS.get(bare)
  if (word !== undefined) return word
  if (/^[-+]?(0|[1-9]\d*)$/.test(bare)) return toInteger(bare) ?? quote(text)
  if (/^0x[0-9a-f]+$/i.test(bare)) return String(Number.parseInt(bare, 16))
  if (/^[-+]?(\d+\.\d*|\.\d+|\d+)(e[-+]?\d+)?$/i.test(bare) && !/^[-+]?0\d/.test(bare)) {
    return formatNumber(String(Number(bare)).includes('.') ? String(Number(bare)) : `${Number(bare)}.0`) ?? quote(text)
  }
  return (/^[{[]/.test(bare) ? parseJson(bare) : undefined) ?? quote(text)
}

/** Integers beyond 64 bits stay texts. */
function toInteger(text: string): JsonText | undefined {
  const integer = BigInt(text.replace('+', ''))
  return integer >= -(2n ** 63n) && integer < 2n ** 64n ? String(integer) : undefined
}
