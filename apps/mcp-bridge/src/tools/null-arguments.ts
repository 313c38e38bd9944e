import { isRecord, type JsonObject } from '@iii/protocol'
import { MAX_DEPTH, mapSubschemas, mendSchema } from '@iii/protocol/json-schema'
import type { FunctionDetail } from '../gate/directory.ts'
import { toInputSchema } from './catalog/tool-schemas.ts'

const schemas = new WeakMap<FunctionDetail, JsonObject>()

/**
 * Leaves out each argument that is null, need not be there and cannot be null. Frameworks that make classes of request schemas, such
 * as mcp-use and CrewAI, write null for what the model left out; functions would refuse it, or not take their default.
 */
export function omitNulls(input: JsonObject, detail: FunctionDetail): JsonObject {
  const schema = schemas.get(detail) ?? toInputSchema(withNulls(detail.requestSchema), { inlineAll: true }).schema
  schemas.set(detail, schema)
  return omitFromObject(input, schema)
}

/** With an alternative in the place of each `nullable` that is not served, since no type that is one stands beside it. */
function withNulls(source: unknown, depth = 0): unknown {
  if (!isRecord(source) || depth > MAX_DEPTH) return source
  const below = (schema: unknown) => orNull(withNulls(schema, depth + 1))
  return Object.fromEntries(Object.entries(source).map(([key, value]) => [key, mapSubschemas(key, value, below)]))
}

function orNull(schema: unknown): unknown {
  if (!isRecord(schema) || schema['nullable'] !== true || 'type' in mendSchema({ type: schema['type'] }).schema)
    return schema
  const { nullable: _nullable, ...others } = schema
  return { anyOf: [others, { type: 'null' }] }
}

function omit(value: unknown, schema: unknown): unknown {
  const shape = toShape(schema)
  if (shape === undefined) return value
  if (Array.isArray(value)) return value.map((item) => omit(item, shape['items']))
  return isRecord(value) ? omitFromObject(value, shape) : value
}

function omitFromObject(value: JsonObject, { properties, required }: JsonObject): JsonObject {
  if (!isRecord(properties)) return value
  const known = new Map(Object.entries(properties))
  const isNeeded = (name: string) => Array.isArray(required) && required.includes(name)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => each !== null || isNeeded(name) || !refusesNull(known.get(name)))
      .map(([name, each]) => [name, omit(each, known.get(name))]),
  )
}

/** Of what may be null the other alternative, where there is one. */
function toShape(schema: unknown): JsonObject | undefined {
  if (!isRecord(schema)) return undefined
  const alternatives = [...listOf(schema, 'anyOf'), ...listOf(schema, 'oneOf')]
  const [only, ...others] = alternatives.filter((each) => !isRecord(each) || each['type'] !== 'null')
  return isRecord(only) && others.length === 0 ? only : schema
}

/** Only where that is certain: what is left in is for the function to judge. */
function refusesNull(schema: unknown): boolean {
  if (!isRecord(schema) || schema['nullable'] === true) return false
  const { type, const: constant } = schema
  if (type !== undefined && ![type].flat().includes('null')) return true
  if (constant !== undefined && constant !== null) return true
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) return true
  const refused = (key: string) => listOf(schema, key).length > 0 && listOf(schema, key).every(refusesNull)
  return refused('anyOf') || refused('oneOf') || listOf(schema, 'allOf').some(refusesNull)
}

function listOf(schema: JsonObject, key: string): readonly unknown[] {
  const list = schema[key]
  return Array.isArray(list) ? list : []
}
