import { isObject, type JsonObject } from '../rpc.ts'

/** Deeper than any schema that somebody wrote; a schema below that is served as one that takes anything. */
const MAX_DEPTH = 48

const SCHEMA_KEYS = new Set(['additionalItems', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'])
const SCHEMA_LIST_KEYS = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])
const SCHEMA_MAP_KEYS = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'])

/**
 * Makes the request schema of a function one that MCP clients accept, changing as little as possible: the root is an
 * object schema with `properties`, subschemas that are booleans become `{}`, arrays say something about their items.
 *
 * Many hosts drop the whole list of tools for one schema that breaks these rules.
 */
export function toInputSchema(schema: unknown): JsonObject {
  if (!isObject(schema) || !mayBeObject(schema['type'])) return { type: 'object', properties: {} }
  const mended = mend(schema, 0)
  return { ...mended, type: 'object', properties: isObject(mended['properties']) ? mended['properties'] : {} }
}

/** The response schema, where its root is an object: other roots are refused by clients of the older revisions. */
export function toOutputSchema(schema: unknown): JsonObject | undefined {
  return hasOutputSchema(schema) ? mend(schema, 0) : undefined
}

/** Does a function with this response schema declare an output schema to clients? */
export function hasOutputSchema(responseSchema: unknown): boolean {
  return isObject(responseSchema) && responseSchema['type'] === 'object'
}

function mayBeObject(type: unknown): boolean {
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'))
}

function mend(schema: unknown, depth: number): JsonObject {
  if (!isObject(schema) || depth > MAX_DEPTH) return {}
  const out: JsonObject = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, mendMember(key, value, depth + 1)]),
  )
  if (isArrayType(out['type']) && !('items' in out) && !('prefixItems' in out)) out['items'] = {}
  return out
}

function mendMember(key: string, value: unknown, depth: number): unknown {
  if (SCHEMA_KEYS.has(key) && !Array.isArray(value)) return mend(value, depth)
  if (SCHEMA_LIST_KEYS.has(key) && Array.isArray(value)) return value.map((entry) => mend(entry, depth))
  if (SCHEMA_MAP_KEYS.has(key) && isObject(value)) return mendMap(value, depth)
  // Closing or opening an object with a boolean is what everybody writes and reads.
  return key === 'additionalProperties' && isObject(value) ? mend(value, depth) : value
}

/** From entries, because a property may be called `__proto__`. */
function mendMap(map: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, mend(schema, depth)]))
}

function isArrayType(type: unknown): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'))
}
