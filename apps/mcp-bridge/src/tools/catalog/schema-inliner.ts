import { isRecord, type JsonObject } from '@iii/protocol'
import { findTarget, MAX_DEPTH, MAX_SCHEMA_BYTES, MAX_SUBSCHEMAS, mapSubschemas } from '@iii/protocol/json-schema'

/** What only says something about a value, and may stand beside any reference. */
const ANNOTATIONS = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment']
/** What says no where a part of it says yes. */
const REFUSING = ['not', 'if', 'contains']
/** Nothing refers to them any more. */
const TARGETS = ['$defs', 'definitions', '$anchor', '$dynamicAnchor']

interface Inlining {
  readonly root: JsonObject
  readonly anchors: ReadonlyMap<string, JsonObject>
  /** In the older drafts nothing counts that stands beside a reference. */
  readonly ignoresSiblings: boolean
  subschemas: number
  /** Of values that are no schemas, as JSON. */
  characters: number
  /** What references lead to: one that is long may stand in what is put in many places. */
  readonly targets: Map<string, unknown>
  /** How often something turned out to contain itself. */
  circles: number
}

/**
 * Puts in the place of each reference what it refers to: many hosts do not follow references. What contains itself takes anything of
 * its type, the second time.
 *
 * @param root mended, and with references that all lead somewhere
 * @returns undefined when the whole would be too large or too deep, and for references that only a validator can follow
 */
export function inlineReferences(
  root: JsonObject,
  anchors: ReadonlyMap<string, JsonObject>,
  ignoresSiblings: boolean,
): JsonObject | undefined {
  return inlineAll(root, anchors, ignoresSiblings)?.inlined
}

/** Does a part of it contain itself, of a schema that {@link inlineReferences} can do without references? */
export function isRecursive(root: JsonObject, anchors: ReadonlyMap<string, JsonObject>): boolean {
  return inlineAll(root, anchors, false)?.hasCircles === true
}

function inlineAll(root: JsonObject, anchors: ReadonlyMap<string, JsonObject>, ignoresSiblings: boolean) {
  const whole = { root, anchors, ignoresSiblings, subschemas: 0, characters: 0, targets: new Map(), circles: 0 }
  const inlined = inline(root, [], whole)
  return whole.subschemas > MAX_SUBSCHEMAS ? undefined : { inlined, hasCircles: whole.circles > 0 }
}

/** @param around the schemas that this one lies in, or stands for */
function inline(schema: JsonObject, around: readonly JsonObject[], whole: Inlining): JsonObject {
  whole.subschemas += 1
  if ('$dynamicRef' in schema || '$recursiveRef' in schema || around.length > MAX_DEPTH)
    whole.subschemas = Number.POSITIVE_INFINITY
  if (whole.subschemas > MAX_SUBSCHEMAS) return {}
  const inside = [...around, schema]
  const each = (value: unknown) => (isRecord(value) ? inline(value, inside, whole) : value)
  const members = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === '$ref' || TARGETS.includes(key)) return []
    const before = whole.circles
    const inlined = mapSubschemas(key, value, each)
    if (inlined === value) countCharacters(value, whole)
    return whole.circles === before ? [[key, inlined]] : toLooser(key, inlined, schema)
  })
  const own = Object.fromEntries(members)
  const { $ref: reference } = schema
  if (typeof reference !== 'string') return own
  return join(own, resolve(reference, inside, whole), whole)
}

/** A long list of values, put in a thousand places, is megabytes that nobody is shown. */
function countCharacters(value: unknown, whole: Inlining): void {
  whole.characters += JSON.stringify(value)?.length ?? 0
  if (whole.characters > MAX_SCHEMA_BYTES) whole.subschemas = Number.POSITIVE_INFINITY
}

/** A part that takes more than it did must not make the whole take less. */
function toLooser(key: string, inlined: unknown, { anyOf }: JsonObject): [string, unknown][] {
  if (key === 'oneOf') return anyOf === undefined ? [['anyOf', inlined]] : []
  return REFUSING.includes(key) ? [] : [[key, inlined]]
}

function resolve(reference: string, around: readonly JsonObject[], whole: Inlining): JsonObject {
  const { targets } = whole
  if (!targets.has(reference)) targets.set(reference, findTarget(whole.root, whole.anchors, reference))
  const target = targets.get(reference)
  if (!isRecord(target)) return {}
  if (around.includes(target)) {
    whole.circles += 1
    return target['type'] === 'object' ? { type: 'object' } : {}
  }
  return inline(target, around, whole)
}

function join(own: JsonObject, target: JsonObject, { ignoresSiblings }: Inlining): JsonObject {
  const entries = Object.entries(own)
  const notes = Object.fromEntries(entries.filter(([key]) => ANNOTATIONS.includes(key)))
  const rules = entries.filter(([key]) => !ANNOTATIONS.includes(key) && key !== '$schema')
  if (ignoresSiblings || rules.length === 0)
    return { ...('$schema' in own ? { $schema: own['$schema'] } : {}), ...target, ...notes }
  const { allOf } = own
  return { ...own, allOf: [...(Array.isArray(allOf) ? allOf : []), target] }
}
