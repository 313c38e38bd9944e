import type { JsonObject } from '../json.ts'

/** What is known of a schema whose parts were mended. */
export interface Mending {
  /** Keywords that are gone or not whole. */
  readonly broken: ReadonlySet<string>
  /** Nothing is gone, down to the last subschema. */
  readonly isWhole: boolean
  /** The dialect has lists in `items`; newer ones have `prefixItems` for them. */
  readonly hasItemLists: boolean
}

/** Makes the keywords of one schema fit each other again. */
export function toConsistent(schema: JsonObject, mending: Mending): JsonObject {
  const { nullable, ...others } = toPrefixItems(withoutClosers(schema, mending), mending)
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

/** Validators of the newer dialects throw for a list in `items`. */
function toPrefixItems(schema: JsonObject, { hasItemLists }: Mending): JsonObject {
  const { items, additionalItems, ...others } = schema
  if (hasItemLists || !Array.isArray(items)) return schema
  return { ...others, prefixItems: items, items: toSchema(additionalItems ?? true) }
}

/** As a keyword of its own a boolean is fine for everybody, as a schema it is not. */
function toSchema(schema: unknown): unknown {
  if (typeof schema !== 'boolean') return schema
  return schema ? {} : { not: {} }
}
