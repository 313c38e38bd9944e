import { Fault, isRecord } from '@iii/protocol'
import { isZod3, isZod4, type JsonSchema, toJsonSchema, type ZodSchema } from '../schema/json-schema.ts'

/** The schema of a form as MCP has it: an object with flat fields. */
export interface FormSchema extends JsonSchema {
  type: 'object'
  properties: Record<string, JsonSchema>
  required?: string[]
}

/**
 * Turns a zod object into a form (MCP `requestedSchema`): texts, numbers, true or false, one choice or several. What MCP forms have no
 * word for, such as patterns, is left out here; answers are checked against the zod type. A JSON Schema passes as it is.
 *
 * @throws Fault `internal` that names the field which no form can show.
 *
 * @example
 * toFormSchema(z.object({ size: z.enum(['S', 'M']).default('M') }))
 * // { type: 'object', properties: { size: { type: 'string', enum: ['S', 'M'], default: 'M' } } }
 */
export function toFormSchema(schema: ZodSchema | JsonSchema): FormSchema {
  const json = isRecord(schema) ? toJsonSchema(schema, 'input') : {}
  if (!isForm(json)) throw new Fault('internal', 'A form needs an object with a field for each thing that is asked')
  if (!(isZod4(schema) || isZod3(schema))) return json
  const properties = Object.entries(json.properties).map(([name, field]) => [name, toField(name, field)] as const)
  const form: FormSchema = { type: 'object', properties: Object.fromEntries(properties) }
  if (json.required !== undefined && json.required.length > 0) form.required = json.required
  return form
}

function isForm(json: JsonSchema): json is FormSchema {
  return json['type'] === 'object' && typeof json['properties'] === 'object' && json['properties'] !== null
}

/** What MCP has of each type; everything else of a field is for the check alone. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems'],
}
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']

function toField(name: string, json: JsonSchema): JsonSchema {
  const choice = toChoice(json, 'oneOf')
  const type = choice === undefined ? json['type'] : 'string'
  const kept = typeof type === 'string' ? KEPT[type] : undefined
  const items = type === 'array' ? toChoice(json['items'], 'anyOf') : undefined
  if (kept === undefined || (type === 'array' && items === undefined)) throw notAField(name)
  const field: JsonSchema = { type, ...pick(json, ['title', 'description', ...(choice === undefined ? kept : [])]) }
  if (FORMATS.includes(json['format'])) field['format'] = json['format']
  if (type === 'integer') dropSafeLimits(field, json)
  // In a list a choice with titles has no type of its own.
  if (items !== undefined) field['items'] = 'anyOf' in items ? items : { type: 'string', ...items }
  return { ...field, ...choice, ...pick(json, ['default']) }
}

/** One of several texts: `enum`, with the names of an older revision if there are any, or texts with titles. */
function toChoice(json: unknown, titled: 'oneOf' | 'anyOf'): JsonSchema | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const { enum: values, const: only, anyOf, oneOf } = json as JsonSchema
  if (isTexts(values)) return pick(json as JsonSchema, ['enum', 'enumNames'])
  if (typeof only === 'string') return { enum: [only] }
  const options: unknown = anyOf ?? oneOf
  if (!Array.isArray(options) || options.length === 0) return undefined
  const choices = options.map((option: unknown) => toTitled(option))
  return choices.includes(undefined) ? undefined : { [titled]: choices }
}

function toTitled(option: unknown): { const: string; title: string } | undefined {
  if (typeof option !== 'object' || option === null || !('const' in option)) return undefined
  const { const: value } = option
  if (typeof value !== 'string') return undefined
  return { const: value, title: 'title' in option && typeof option.title === 'string' ? option.title : value }
}

/** Zod says of every integer that it is safe; a person need not read that. An exclusive limit has no word in MCP. */
function dropSafeLimits(field: JsonSchema, json: JsonSchema): void {
  if (field['minimum'] === Number.MIN_SAFE_INTEGER) delete field['minimum']
  if (field['maximum'] === Number.MAX_SAFE_INTEGER) delete field['maximum']
  const { exclusiveMinimum: above, exclusiveMaximum: below } = json
  if (typeof above === 'number') field['minimum'] = above + 1
  if (typeof below === 'number') field['maximum'] = below - 1
}

function pick(json: JsonSchema, keys: readonly string[]): JsonSchema {
  return Object.fromEntries(keys.flatMap((key) => (json[key] === undefined ? [] : [[key, json[key]]])))
}

function isTexts(values: unknown): values is string[] {
  return Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string')
}

function notAField(name: string): Fault {
  const can = 'texts, numbers, true or false, and choices among texts'
  const text = `The field "${name}" cannot be shown in a form of MCP, which has ${can}; ask for what is in it as fields of their own`
  return new Fault('internal', text)
}
