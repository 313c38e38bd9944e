import { Fault, isRecord } from '@iii/protocol'
import { isKeyword } from '@iii/protocol/json-schema'
import { isZod3, isZod4, type ZodSchema } from './json-schema.ts'
import { findUnsendable } from './unsendable.ts'

/** @throws Fault `invalid_input` for what a worker without types may give in the place of a schema; `undefined` is none */
export function requireSchema(what: string, schema: unknown): void {
  if (schema === undefined) return
  if (!isRecord(schema)) {
    throw new Fault('invalid_input', `${what} must be a zod type or a JSON Schema, an object`)
  }
  if (isZod(schema)) return
  if (Object.values({ ...schema, ...Object(schema['properties']) }).some(isZod)) {
    throw new Fault(
      'invalid_input',
      `${what} is an object that has zod types, and no zod type: write z.object(…) around it`,
    )
  }
  const field = findBareField(schema)
  if (field === undefined) return
  const example = `{ type: 'object', properties: { ${JSON.stringify(field)}: { type: 'string' } } }`
  throw new Fault(
    'invalid_input',
    `${what} is no JSON Schema: if '${field}' is a field, write ${example}, or {} for what may be anything`,
  )
}

/** @throws Fault `invalid_input` for a zod type that asks for what no JSON is */
export function requireSendable(what: string, schema: unknown): void {
  const unsendable = isZod(schema) ? findUnsendable(schema) : undefined
  if (unsendable !== undefined) throw new Fault('invalid_input', `${what} asks for ${unsendable}`)
}

/** What informs, and is as often the name of a field. */
const NAMES_AS_WELL: readonly string[] = [
  'title',
  'description',
  'default',
  'format',
  'deprecated',
  'example',
  'examples',
]
const TYPE_NAME = /^(?:string|text|number|integer|int|float|bool(?:ean)?|object|array|list|date|any)(?:\[\])?\??$/i

/**
 * A field that stands where keywords do, in what says nothing to anybody who reads it as a schema. `{}` says that anything may come, and
 * keys of one's own beside a keyword are nobody's business.
 */
function findBareField(schema: Readonly<Record<string, unknown>>): string | undefined {
  const keys = Object.keys(schema)
  // Drafts before 6 had it; without a word beside it, it is a field.
  const strays = keys.filter((key) => key === 'id' || !isKeyword(key))
  const known = keys.filter((key) => !strays.includes(key))
  if (known.length === 0) return strays[0]
  return known.every((key) => NAMES_AS_WELL.includes(key)) ? strays.find((key) => isOfType(schema[key])) : undefined
}

function isOfType(value: unknown): boolean {
  return typeof value === 'string' ? TYPE_NAME.test(value) : isRecord(value) && Object.keys(value).some(isKeyword)
}

function isZod(value: unknown): value is ZodSchema {
  return isRecord(value) && (isZod4(value) || isZod3(value))
}
