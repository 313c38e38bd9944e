import { isRecord, type JsonObject } from '@iii/protocol'

/** So many values, required names and properties are looked at. */
const MAX_STEPS = 20_000

/**
 * Tells whether the data of a result has the types, the required properties and the items that its schema promises. What else schemas can
 * say is not looked at: it comes from the same stranger as the data, and a pattern or a nest of alternatives can take for ever.
 */
export function fitsSchema(schema: JsonObject, data: unknown): boolean {
  const waiting: Place[] = [{ schema, value: data }]
  for (let room = MAX_STEPS; room > 0; room--) {
    const place = waiting.pop()
    if (place === undefined) return true
    if (!isRecord(place.schema)) continue
    if (!fitsAlone(place.schema, place.value)) return false
    waiting.push(...toParts(place.schema, place.value))
    room -= sizeOf(place.schema['required']) + sizeOf(place.schema['properties'])
  }
  return true
}

interface Place {
  readonly schema: unknown
  readonly value: unknown
}

function fitsAlone({ type, required }: JsonObject, value: unknown): boolean {
  return isOfType(type, value) && (!isRecord(value) || hasRequired(required, value))
}

function toParts({ properties, items }: JsonObject, value: unknown): Place[] {
  if (Array.isArray(value)) return value.slice(0, MAX_STEPS).map((item) => ({ schema: items, value: item }))
  if (!isRecord(value) || !isRecord(properties)) return []
  const named = Object.entries(properties).filter(([key]) => Object.hasOwn(value, key))
  return named.map(([key, schema]) => ({ schema, value: value[key] }))
}

function sizeOf(keyword: unknown): number {
  return typeof keyword === 'object' && keyword !== null ? Object.keys(keyword).length : 0
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === undefined) return true
  return [type].flat().some((one) => one === typeOf(value) || (one === 'integer' && Number.isInteger(value)))
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function hasRequired(required: unknown, value: JsonObject): boolean {
  return !Array.isArray(required) || required.every((key) => typeof key !== 'string' || Object.hasOwn(value, key))
}
