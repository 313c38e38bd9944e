import { isRecord, readOwn } from '../json.ts'
import type { RecordPolicy } from '../metadata.ts'
import { maskSecrets } from '../plain-message/secrets.ts'
import { utf8Length } from '../utf8.ts'
import { isSecretFlag, maskArguments } from './command-line.ts'
import { isSecretName, isSecretOfText, isTokenCount } from './secret-names.ts'
import { createSchemaWalk, type Schemas, type SchemaWalk, saysSecret } from './secret-schema.ts'

/** What stands where a secret was. */
export const REDACTED = '<secret>'

export interface RedactOptions {
  /** What may be kept at all (`runs.record` of the function). @default 'redacted' */
  readonly record?: RecordPolicy | undefined
  /** JSON Schema of the value, as its author wrote it. */
  readonly schema?: unknown
  /** More than so many bytes of JSON are not kept. */
  readonly maxBytes: number
}

/** A value that may be kept and shown. */
export interface Redaction {
  readonly value: unknown
  /** How many secrets were taken out. */
  readonly secrets: number
  /** Of the value as JSON, without the secrets. */
  readonly bytes: number
}

/**
 * Takes secrets out of a value before it is kept. In this order: what the function allows at all, what its schema calls secret
 * (`writeOnly`, `format: "password"`), keys that name a secret, texts in which a secret can be seen, and size.
 *
 * @param value what `JSON.parse` gave, of bounded depth
 * @returns undefined when nothing of it may be kept: the function says so, or it is too large.
 *
 * @example
 * redact({ user: 'me', password: 'hunter2', note: 'Bearer abc123' }, { maxBytes: 1024 })?.value
 * // { user: 'me', password: '<secret>', note: 'Bearer <secret>' }
 */
export function redact(
  value: unknown,
  { record = 'redacted', schema, maxBytes }: RedactOptions,
): Redaction | undefined {
  if (record !== 'redacted') return undefined
  const walk = createSchemaWalk(schema)
  const state: State = { walk, secrets: 0, room: maxBytes }
  const clean = cleanValue(value, walk.root, state)
  // What was not looked at any more may hold secrets, however little is left of the rest.
  if (state.room < 0 || walk.isSpent()) return undefined
  const bytes = utf8Length(JSON.stringify(clean) ?? '')
  return bytes > maxBytes ? undefined : { value: clean, secrets: state.secrets, bytes }
}

interface State {
  readonly walk: SchemaWalk
  secrets: number
  /** Characters that may still be looked at. */
  room: number
}

function cleanValue(value: unknown, schemas: Schemas, state: State): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (saysSecret(schemas)) return hide(state)
  if (typeof value === 'string') return cleanText(value, state)
  if (Array.isArray(value)) return value.map((_, at) => cleanItem(value, at, state.walk.item(schemas, at), state))
  return isRecord(value) ? cleanRecord(value, schemas, state) : value
}

/** Command lines are often lists of words: `['--password', 'hunter2']`. */
function cleanItem(list: readonly unknown[], at: number, schemas: Schemas, state: State): unknown {
  const item = list[at]
  const isSecret = typeof item === 'string' && !item.startsWith('-') && isSecretFlag(list[at - 1])
  return isSecret ? hide(state) : cleanValue(item, schemas, state)
}

function cleanRecord(record: Record<string, unknown>, schemas: Schemas, state: State): Record<string, unknown> {
  const entries = Object.entries(record).map(([key, value]) => {
    const secret = namesSecret(key, value) || (key === 'value' && namesItsValue(record))
    const clean = secret ? hide(state) : cleanValue(value, state.walk.property(schemas, key), state)
    return [cleanText(key, state), clean] as const
  })
  return Object.fromEntries(entries)
}

function namesSecret(key: string, value: unknown): boolean {
  if (typeof value === 'string' && isSecretOfText(key)) return true
  if (value === null || typeof value === 'boolean' || !isSecretName(key)) return false
  return !(typeof value === 'number' && isTokenCount(key))
}

/** Headers and variables are often written as `{ name, value }`. */
function namesItsValue(record: Record<string, unknown>): boolean {
  const name = readOwn(record, 'name') ?? readOwn(record, 'key')
  return typeof name === 'string' && (isSecretName(name) || isSecretOfText(name))
}

function cleanText(text: string, state: State): string {
  state.room -= text.length
  if (state.room < 0) return text
  if (word.test(text)) return text
  const clean = maskArguments(maskSecrets(text)).replace(userOfAddress, `$1${REDACTED}@`)
  if (clean !== text) state.secrets++
  return clean
}

/** Most keys, and many values: too short for the key of any service, and without a sign before a value. */
const word = /^\w{0,12}$/
/** `postgres://user:password@host`; the last `@` before a path or a query is that of the host. */
const userOfAddress = /(:\/\/)[^\s/?#@"'<>:]{0,256}:[^\s/@"']{1,512}@(?:[^\s/?#@"']{0,512}@)*/g

function hide(state: State): string {
  state.secrets++
  return REDACTED
}
