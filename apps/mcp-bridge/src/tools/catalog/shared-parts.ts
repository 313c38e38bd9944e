import { isRecord, type JsonObject } from '@iii/protocol'
import { mapSubschemas } from '@iii/protocol/json-schema'

/** Whoever uses one of these counts on the place that a part has, or says what a reference means. */
const TIED_TO_PLACES = [
  '$schema',
  '$id',
  '$ref',
  '$defs',
  'definitions',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
]
/** As a name in `$defs`, where it is needed neither quoted nor escaped. */
const PLAIN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,31}$/
/** So many parts are named. */
const MAX_PARTS = 32

/**
 * Keeps once, under `$defs`, what a schema without references says more than once, as far as that makes it shorter: for clients whose
 * schemas are JSON Schema 2020-12.
 *
 * @returns the very same schema where nothing is gained
 */
export function toShared(schema: JsonObject): JsonObject {
  if (isTied(schema)) return schema
  let shared = schema
  for (let count = 0; count < MAX_PARTS; count += 1) {
    const next = shareLongest(shared)
    if (next === undefined) return shared
    shared = next
  }
  return shared
}

interface Part {
  readonly json: string
  readonly name: string
  count: number
}

function shareLongest(schema: JsonObject): JsonObject | undefined {
  const taken = isRecord(schema['$defs']) ? schema['$defs'] : {}
  const gains = [...countParts(schema).values()].map((part) => ({ ...part, gain: toGain(part, taken) }))
  const [best] = gains.filter(({ gain }) => gain > 0).sort((a, b) => b.gain - a.gain)
  if (best === undefined) return undefined
  const { json, name } = best
  const own = toFreeName(name, taken)
  const { $defs, ...rest } = replace(schema, json, { $ref: `#/$defs/${own}` })
  return { ...rest, $defs: { ...(isRecord($defs) ? $defs : {}), [own]: JSON.parse(json) as unknown } }
}

/** The schemas within a schema, those that are equal as one; the schema itself is none. */
function countParts(schema: JsonObject): Map<string, Part> {
  const parts = new Map<string, Part>()
  const enter = (value: unknown, name = 'part') => {
    if (!isRecord(value)) return value
    const json = JSON.stringify(value)
    const known = parts.get(json)
    if (known === undefined) parts.set(json, { json, name: PLAIN_NAME.test(name) ? name : 'part', count: 1 })
    else known.count += 1
    visit(value, enter)
    return value
  }
  visit(schema, enter)
  return parts
}

function visit(schema: JsonObject, each: (value: unknown, name?: string) => unknown): void {
  for (const [key, value] of Object.entries(schema)) mapSubschemas(key, value, each)
}

/** How many characters it saves to keep the part once. */
function toGain({ json, name, count }: Part, taken: JsonObject): number {
  const own = toFreeName(name, taken)
  const reference = JSON.stringify({ $ref: `#/$defs/${own}` }).length
  const frame = Object.keys(taken).length === 0 ? ',"$defs":{}'.length : ','.length
  return count * (json.length - reference) - (frame + `"${own}":`.length + json.length)
}

function toFreeName(name: string, taken: JsonObject): string {
  let free = name
  for (let next = 2; Object.hasOwn(taken, free); next += 1) free = `${name}${next}`
  return free
}

function replace(schema: JsonObject, json: string, reference: JsonObject): JsonObject {
  const each = (value: unknown): unknown => {
    if (!isRecord(value)) return value
    return JSON.stringify(value) === json ? reference : replace(value, json, reference)
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, mapSubschemas(key, value, each)]))
}

function isTied(schema: JsonObject): boolean {
  let isFound = Object.keys(schema).some((key) => TIED_TO_PLACES.includes(key))
  visit(schema, (value) => {
    isFound ||= isRecord(value) && isTied(value)
    return value
  })
  return isFound
}
