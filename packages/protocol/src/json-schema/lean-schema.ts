import { isRecord, type JsonObject } from '../json.ts'
import { findDialect } from './rules.ts'
import { mapSubschemas } from './subschemas.ts'

/** What some dialects understand, and others otherwise or not at all. */
const TELLING = [
  'additionalItems',
  'dependencies',
  '$recursiveRef',
  '$recursiveAnchor',
  'prefixItems',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
  'unevaluatedItems',
  'minContains',
  'maxContains',
  '$dynamicRef',
  '$dynamicAnchor',
]
/** How far whole numbers go that JSON carries everywhere; no call gets one beyond them through. */
const BOUNDS: Readonly<Record<string, number>> = {
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
}

/** Every name in JSON is a text. */
const ANY_NAME = '{"type":"string"}'

/**
 * Leaves out of a schema what tells a model nothing, for each list of tools is read again and again: the bounds of whole numbers that hold
 * for all of them, that names are texts, titles that repeat the name of what they stand at, and the dialect where every one reads the schema alike.
 *
 * @param toolName what the title of the root may repeat
 */
export function toLeanSchema(schema: JsonObject, toolName?: string): JsonObject {
  return withChoices(toLean(schema, toolName, () => false))
}

/**
 * A list of types as a choice between them, and the type of a single value beside it, below the root: frameworks that make classes or
 * functions of tools (AutoGen, DSPy) look for one type, and lose the whole list of tools for several or none. All of them know `anyOf`, which
 * is how optional arguments look in Python.
 */
function withChoices(schema: JsonObject): JsonObject {
  const below = (value: unknown) => (isRecord(value) ? withType(toChoice(withChoices(value))) : value)
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, mapSubschemas(key, value, below)]))
}

function toChoice(schema: JsonObject): JsonObject {
  const { type: types, ...others } = schema
  if (!Array.isArray(types) || 'anyOf' in schema) return schema
  const [first] = types
  if (types.length === 1) return { type: first, ...others }
  const kept = Object.entries(others).filter(([key]) => !types.some((type) => isAbout(key, type)))
  const choices = types.map((type) => ({
    ...Object.fromEntries(Object.entries(others).filter(([key]) => isAbout(key, type))),
    type,
  }))
  return { ...Object.fromEntries(kept), anyOf: choices }
}

function withType(schema: JsonObject): JsonObject {
  return 'const' in schema && !TYPED.some((key) => key in schema)
    ? { type: toType(schema['const']), ...schema }
    : schema
}

/** Where one of them stands, the type is said by it, or is nobody's business. */
const TYPED = ['type', 'anyOf', 'oneOf', 'allOf', '$ref', 'enum']

function toType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
/** What a keyword says is about values of one type alone. */
const ABOUT: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: NUMBERS,
  integer: NUMBERS,
  array: [
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
    'additionalItems',
  ],
  object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties'],
}

const isAbout = (key: string, type: unknown) => ABOUT[String(type)]?.includes(key) === true

/** The same for what a function returns: that nothing else comes is of use to nobody who reads it. */
export function toLeanResult(schema: JsonObject, toolName?: string): JsonObject {
  return toLean(schema, toolName, (key, value) => key === 'additionalProperties' && value === false)
}

function toLean(
  schema: JsonObject,
  toolName: string | undefined,
  isIdle: (key: string, value: unknown) => boolean,
): JsonObject {
  // That is how a newer dialect has what was a list of items in this one.
  const isForeign = (key: string) => key === 'prefixItems' && findDialect(schema['$schema'])?.hasItemLists === true
  let isTelling = false

  function lean(value: unknown, name?: string): unknown {
    if (!isRecord(value)) return value
    const members = Object.entries(value).filter(
      ([key, own]) => !isEmpty(key, own) && !isIdle(key, own) && !isRepeated(key, own, name),
    )
    isTelling ||= members.some(([key, own]) => tellsDialect(key, own) && !isForeign(key))
    return Object.fromEntries(members.map(([key, own]) => [key, mapSubschemas(key, own, lean)]))
  }

  const { $schema, ...rest } = lean(schema, toolName) as JsonObject
  return isTelling && $schema !== undefined ? { $schema, ...rest } : rest
}

/** Whether it lets through whatever JSON has there. */
function isEmpty(key: string, value: unknown): boolean {
  return (key in BOUNDS && BOUNDS[key] === value) || (key === 'propertyNames' && JSON.stringify(value) === ANY_NAME)
}

function tellsDialect(key: string, value: unknown): boolean {
  return TELLING.includes(key) || (key === 'items' && Array.isArray(value)) || key === '$ref'
}

function isRepeated(key: string, value: unknown, name: string | undefined): boolean {
  return key === 'title' && name !== undefined && typeof value === 'string' && toWord(value) === toWord(name)
}

/** `Order id`, `order_id` and `orderId` are one word. */
function toWord(text: string): string {
  return text.replace(/[\s_-]/g, '').toLowerCase()
}
