import { isRecord, readOwn } from '../json.ts'

/** The schemas that hold for one place of a value: which of several forms was meant is not known, so all of them. */
export type Schemas = readonly Record<string, unknown>[]

/** So many schemas are looked at for one place; beyond that it counts as secret. */
const MAX_SCHEMAS = 200
/** Of the schemas of a place so many cost nothing; whatever is more counts for the whole value. */
const FREE_SCHEMAS = 8
const MAX_LOOKS = 50_000

/** Looks up what a JSON Schema says of the places of a value. */
export interface SchemaWalk {
  readonly root: Schemas
  property(schemas: Schemas, key: string): Schemas
  item(schemas: Schemas, at: number): Schemas
  /** A stranger's schema has more for the places of this value than is looked at: what was not seen may be secret. */
  isSpent(): boolean
}

/** Whether one of them says that what stands here is not to be read: `writeOnly: true`, `format: "password"`. */
export function saysSecret(schemas: Schemas): boolean {
  return (
    schemas.length >= MAX_SCHEMAS ||
    schemas.some((schema) => readOwn(schema, 'writeOnly') === true || readOwn(schema, 'format') === 'password')
  )
}

export function createSchemaWalk(schema: unknown): SchemaWalk {
  return mentionsSecret(schema) ? walkThrough(schema) : NOWHERE
}

const NONE: Schemas = []
const NOWHERE: SchemaWalk = { root: NONE, property: () => NONE, item: () => NONE, isSpent: () => false }

const mentions = new WeakMap<object, boolean>()

/** Most schemas call nothing a secret, and a busy function has the same one with each call: its text is looked through once. */
function mentionsSecret(schema: unknown): boolean {
  if (!isRecord(schema)) return false
  const known = mentions.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(schema)
  const found = text.includes('"writeOnly"') || text.includes('"password"')
  mentions.set(schema, found)
  return found
}

function walkThrough(schema: unknown): SchemaWalk {
  const root = isRecord(schema) ? schema : {}
  const targets = new Map<unknown, unknown>()
  let looks = 0
  const isSpent = () => looks > MAX_LOOKS

  /** A reference may be long, and stand at each of many places. */
  function target(reference: unknown): unknown {
    if (!targets.has(reference)) targets.set(reference, follow(root, reference))
    return targets.get(reference)
  }

  /** Schemas with all that stand for the same place. */
  function expand(found: readonly unknown[]): Schemas {
    const all = new Set<Record<string, unknown>>()
    const waiting = [...found]
    let met = found.length
    while (waiting.length > 0 && all.size < MAX_SCHEMAS) {
      const next = waiting.pop()
      if (!isRecord(next) || all.has(next)) continue
      all.add(next)
      const others = alternatives(next)
      met += others.length
      // One by one: there may be more of them than a call takes arguments.
      for (const other of others) waiting.push(other)
      waiting.push(target(readOwn(next, '$ref')))
    }
    looks += Math.max(0, met - FREE_SCHEMAS)
    return [...all]
  }

  return {
    root: expand([root]),
    property: (schemas, key) => (isSpent() ? NONE : expand(schemas.flatMap((at) => propertySchemas(at, key)))),
    item: (schemas, at) => (isSpent() ? NONE : expand(schemas.flatMap((schema) => itemSchemas(schema, at)))),
    isSpent,
  }
}

function alternatives(schema: Record<string, unknown>): unknown[] {
  const forms = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => toList(readOwn(schema, key)))
  return [...forms, ...['if', 'then', 'else'].flatMap((key) => readOwn(schema, key) ?? [])]
}

function propertySchemas(schema: Record<string, unknown>, key: string): unknown[] {
  const properties = readOwn(schema, 'properties')
  const named = isRecord(properties) ? readOwn(properties, key) : undefined
  if (named !== undefined) return [named]
  // Patterns are a stranger's regular expressions, which may take for ever: any of them may mean this key.
  const patterns = readOwn(schema, 'patternProperties')
  return [readOwn(schema, 'additionalProperties'), ...(isRecord(patterns) ? Object.values(patterns) : [])]
}

function itemSchemas(schema: Record<string, unknown>, at: number): unknown[] {
  const items = readOwn(schema, 'items')
  // Before 2020-12 `items` could be what is called `prefixItems` now.
  const first = toList(readOwn(schema, 'prefixItems'))
  const places = Array.isArray(items) ? items : first
  if (at < places.length) return [places[at]]
  return [Array.isArray(items) ? readOwn(schema, 'additionalItems') : items]
}

/** A reference within the document; others lead nowhere. */
function follow(root: Record<string, unknown>, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  let at: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
    at = Array.isArray(at) ? at[Number(key)] : isRecord(at) ? readOwn(at, key) : undefined
  }
  return at
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
