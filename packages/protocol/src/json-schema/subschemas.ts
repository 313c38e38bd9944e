import { isRecord } from '../json.ts'

const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions']
const SINGLE = ['items', 'additionalProperties', 'additionalItems', 'unevaluatedProperties', 'unevaluatedItems', 'not']
const MORE = ['if', 'then', 'else', 'contains', 'propertyNames', 'contentSchema']

/**
 * Gives the value of a keyword with something else in the place of each schema in it.
 *
 * @param each told the name of the schema too, where it has one
 */
export function mapSubschemas(key: string, value: unknown, each: (value: unknown, name?: string) => unknown): unknown {
  if (LISTS.includes(key) || (key === 'items' && Array.isArray(value)))
    return Array.isArray(value) ? value.map((entry) => each(entry)) : value
  if (SINGLE.includes(key) || MORE.includes(key)) return each(value)
  if (!BY_NAME.includes(key) || !isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, each(entry, name)]))
}
