import { toItems, toMembers } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

const ONE = ['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'] as const
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const MAPS = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'] as const

/** The schemas inside of a schema, as far as they are looked at. */
export function subschemas(schema: ReadonlyMap<string, JsonText>): JsonText[] {
  return [
    ...ONE.flatMap((keyword) => schema.get(keyword) ?? []),
    ...LISTS.flatMap((keyword) => toItems(schema.get(keyword) ?? 'null') ?? []),
    ...MAPS.flatMap((keyword) => [...(toMembers(schema.get(keyword) ?? 'null')?.values() ?? [])]),
  ]
}
