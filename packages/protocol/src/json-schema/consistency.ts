import { isRecord, type JsonObject } from '../json.ts'

/** What is known of a schema whose parts were mended. */
export interface Mending {
  /** Keywords that are gone or not whole. */
  readonly broken: ReadonlySet<string>
  /** Nothing is gone, down to the last subschema. */
  readonly isWhole: boolean
  /** Clients hold results against it. */
  readonly isResult: boolean
  /** It may allow more than it did: nothing around it would then allow less. */
  readonly mayAllowMore: boolean
}

/** Makes the keywords of one schema fit each other again. */
export function toConsistent(schema: JsonObject, mending: Mending): JsonObject {
  const prefixed = toPrefixItems(withoutClosers(schema, mending))
  const counted = withCommonItems(toCounted(prefixed), mending)
  const { nullable, ...others } = mending.isResult ? withNullType(counted) : counted
  const isArray = [others['type']].flat().includes('array')
  return {
    ...others,
    // Some hosts refuse an array that says nothing of its items, and do not look for `prefixItems`.
    ...(isArray && !('items' in others) ? { items: {} } : {}),
    // Validators that know it throw where it has no type beside it.
    ...(nullable === true && 'type' in others ? { nullable } : {}),
  }
}

/** What closes a schema to everything else would refuse what a part that is gone allowed. */
function withoutClosers(schema: JsonObject, { broken, isWhole }: Mending): JsonObject {
  if (isWhole) return schema
  const isGone = (key: string) => broken.has(key) && !(key in schema)
  const closers = [
    ...(isGone('properties') || broken.has('patternProperties') ? ['additionalProperties'] : []),
    ...(isGone('items') ? ['additionalItems'] : []),
    ...(isGone('prefixItems') ? ['items'] : []),
    'unevaluatedProperties',
    'unevaluatedItems',
  ]
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !closers.includes(key)))
}

/** A list in `items` stops hosts and model providers that read the newest dialect alone, whatever dialect the schema names. */
function toPrefixItems(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...others } = schema
  if (!Array.isArray(items)) return schema
  return { ...others, prefixItems: items, items: toSchema(additionalItems ?? true) }
}

/** Validators of older dialects do not know `prefixItems`, and hold the first items against `items` too: how many there are says the same to all. */
function toCounted(schema: JsonObject): JsonObject {
  const { items, ...others } = schema
  const { prefixItems, maxItems } = others
  if (!Array.isArray(prefixItems) || !isNothing(items)) return schema
  return { ...others, maxItems: Math.min(prefixItems.length, Number(maxItems ?? prefixItems.length)) }
}

/** Where others follow the first ones, `items` has to take all of them: the types that one or the other has, where that says enough. */
function withCommonItems(schema: JsonObject, { isResult, mayAllowMore }: Mending): JsonObject {
  const { prefixItems, items } = schema
  const isRead = !isResult || !mayAllowMore
  if (isRead || !Array.isArray(prefixItems) || !isRecord(items)) return schema
  const all: unknown[] = [...prefixItems, items]
  if (new Set(all.map((item) => JSON.stringify(item))).size === 1) return schema
  const types = [...new Set(all.flatMap((item) => (isRecord(item) ? item['type'] : undefined)))]
  const isSaid = types.every((type) => typeof type === 'string' && type !== 'array')
  return { ...schema, items: isSaid ? { type: types.length === 1 ? types[0] : types } : {} }
}

/** `nullable` is no word of JSON Schema, and some validators know nothing of it. */
function withNullType(schema: JsonObject): JsonObject {
  const { nullable, ...others } = schema
  if (nullable !== true || !('type' in others)) return schema
  return { ...others, type: [...new Set([others['type'], 'null'].flat())] }
}

function isNothing(schema: unknown): boolean {
  return isRecord(schema) && JSON.stringify(schema) === '{"not":{}}'
}

/** As a keyword of its own a boolean is fine for everybody, as a schema it is not. */
function toSchema(schema: unknown): unknown {
  if (typeof schema !== 'boolean') return schema
  return schema ? {} : { not: {} }
}
