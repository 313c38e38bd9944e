import { isRecord } from '@iii/protocol'
import { findTarget } from '@iii/protocol/json-schema'
import { type JsonSchema, toKeySchema, type ZodSchema } from './json-schema.ts'

/** A key of an object that was sent, and that the schema of the object does not have. */
export interface UnknownKey {
  /** Where the object is in what was sent. */
  readonly path: readonly PropertyKey[]
  readonly key: string
  /** The keys that the schema has there. */
  readonly known: readonly string[]
  /** The keys that were sent there. */
  readonly given: readonly string[]
}

/** So many are looked for; whoever sent more of them has other worries. */
export const MAX_UNKNOWN_KEYS = 6
/** What lies deeper is not looked at. A reference counts as a step, so none goes round in a circle. */
const MAX_DEPTH = 128

const NONE: readonly UnknownKey[] = []
const NO_ANCHORS = new Map<string, JsonSchema>()

/** Where the search is: the keys that led there, the last one first. */
type Place = { readonly key: PropertyKey; readonly above: Place } | undefined

interface Step {
  readonly root: JsonSchema
  readonly at: Place
  readonly depth: number
}

/**
 * Finds what zod drops without a word: keys that no object of the schema has. A loose object has all of them, and what is prepared before it
 * is looked at, too.
 */
export function createUnknownKeyFinder(schema: ZodSchema): (value: unknown) => readonly UnknownKey[] {
  let root: JsonSchema | undefined
  return (value) => {
    root ??= toKeySchema(schema)
    return findIn(root, value, { root, at: undefined, depth: 0 })
  }
}

function findIn(schema: unknown, value: unknown, step: Step): readonly UnknownKey[] {
  if (!isRecord(schema) || typeof value !== 'object' || value === null || step.depth > MAX_DEPTH) return NONE
  const deeper = { ...step, depth: step.depth + 1 }
  const { $ref, anyOf, oneOf, allOf } = schema
  if (typeof $ref === 'string') return findIn(findTarget(step.root, NO_ANCHORS, $ref), value, deeper)
  const forms = anyOf ?? oneOf
  if (Array.isArray(forms)) return findInForms(forms, value, deeper)
  if (Array.isArray(allOf)) return findInSides(allOf, value, deeper)
  return Array.isArray(value) ? findInList(schema, value, deeper) : findInObject(schema, value, deeper)
}

function findInObject(schema: JsonSchema, value: object, step: Step): readonly UnknownKey[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const { additionalProperties: rest, patternProperties } = schema
  let found = NONE
  for (const [key, inside] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) found = join(found, findIn(properties[key], inside, below(step, key)))
    else if (rest !== false) found = join(found, findIn(rest, inside, below(step, key)))
    else if (patternProperties === undefined) {
      const known = Object.keys(properties)
      found = join(found, [{ path: toPath(step.at), key, known, given: Object.keys(value) }])
    }
    if (found.length >= MAX_UNKNOWN_KEYS) break
  }
  return found
}

function findInList(schema: JsonSchema, values: readonly unknown[], step: Step): readonly UnknownKey[] {
  const { items, additionalItems } = schema
  let found = NONE
  for (const [nth, value] of values.entries()) {
    const item: unknown = Array.isArray(items) ? (items[nth] ?? additionalItems) : items
    found = join(found, findIn(item, value, below(step, nth)))
    if (found.length >= MAX_UNKNOWN_KEYS) break
  }
  return found
}

/** In the form that was most likely meant. */
function findInForms(forms: readonly unknown[], value: object, step: Step): readonly UnknownKey[] {
  const results = forms.filter((form) => fits(form, value, step.root)).map((form) => findIn(form, value, step))
  return results.reduce((least, result) => (result.length < least.length ? result : least), results[0] ?? NONE)
}

/** As zod has it, a key is unknown when each side says so. */
function findInSides(sides: readonly unknown[], value: object, step: Step): readonly UnknownKey[] {
  const [first = NONE, ...others] = sides.map((side) => findIn(side, value, step))
  return first.flatMap((unknown) => {
    const same = others.map((found) => found.find((other) => isSame(unknown, other)))
    if (same.includes(undefined)) return []
    return [{ ...unknown, known: [...new Set([unknown, ...same].flatMap((other) => other?.known ?? []))] }]
  })
}

function isSame(one: UnknownKey, other: UnknownKey): boolean {
  return one.key === other.key && one.path.join('\0') === other.path.join('\0')
}

/** Whether an object or a list may be of this form: by its kind, and by fields that have one value alone. */
function fits(form: unknown, value: object, root: JsonSchema): boolean {
  if (!isRecord(form)) return false
  if (typeof form['$ref'] === 'string') {
    const target = findTarget(root, NO_ANCHORS, form['$ref'])
    return isRecord(target) && (typeof target['$ref'] === 'string' || fits(target, value, root))
  }
  if (form['type'] !== undefined && form['type'] !== (Array.isArray(value) ? 'array' : 'object')) return false
  const properties = isRecord(form['properties']) ? Object.entries(form['properties']) : []
  return properties.every(([key, field]) => {
    if (!isRecord(field) || !('const' in field)) return true
    return (value as JsonSchema)[key] === field['const']
  })
}

function below(step: Step, key: PropertyKey): Step {
  return { ...step, at: { key, above: step.at } }
}

function toPath(place: Place): PropertyKey[] {
  const path: PropertyKey[] = []
  for (let at = place; at !== undefined; at = at.above) path.unshift(at.key)
  return path
}

function join(some: readonly UnknownKey[], more: readonly UnknownKey[]): readonly UnknownKey[] {
  return more.length === 0 ? some : [...some, ...more]
}
