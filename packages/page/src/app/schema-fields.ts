/** A JSON Schema as the fields of a form, and what was typed as arguments. */

export interface FieldSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  /** Of the choices, as elicitation had them once. */
  readonly enumNames?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
  readonly items?: FieldSchema
  readonly oneOf?: readonly FieldSchema[]
  readonly anyOf?: readonly FieldSchema[]
}

/** `choices` are several of them, as a JSON list. */
export type FieldKind = 'text' | 'long text' | 'number' | 'whole number' | 'choice' | 'choices' | 'json'

export interface Choice {
  /** As JSON. */
  readonly value: string
  readonly label: string
}

export interface SchemaField {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  /** What there is to choose from. */
  readonly choices: readonly Choice[]
  /** What stands in the field at first. */
  readonly initial: string
  /** What may be typed, in words: `integer, 1 to 100`. */
  readonly hint: string
}

const LONG_TEXT = 200

export function toFields(schema: FieldSchema): SchemaField[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const properties = isObject(schema.properties) ? schema.properties : {}
  return Object.entries(properties).map(([name, own]) => toField(name, isObject(own) ? own : {}, required.has(name)))
}

function toField(name: string, property: FieldSchema, isRequired: boolean): SchemaField {
  const single = toChoices(property)
  const several = property.type === 'array' && isObject(property.items) ? toChoices(property.items) : []
  const kind = single.length > 0 ? 'choice' : several.length > 0 ? 'choices' : toKind(property)
  return {
    name,
    label: toText(property.title) || name,
    description: toText(property.description),
    kind,
    isRequired,
    choices: kind === 'choice' ? single : several,
    initial: toInitial(property, kind),
    hint: toHint(property),
  }
}

/** Either the arguments, or what is wrong with each field, by its name. A field that is left empty is left out. */
export function toArguments(
  fields: readonly SchemaField[],
  typed: ReadonlyMap<string, string>,
): { readonly args: Record<string, unknown>; readonly problems: ReadonlyMap<string, string> } {
  const args: [string, unknown][] = []
  const problems = new Map<string, string>()
  for (const field of fields) {
    const text = typed.get(field.name) ?? field.initial
    const { value, problem } = text === '' ? parseEmpty(field) : parse(field, text)
    if (value !== undefined) args.push([field.name, value])
    if (problem !== undefined) problems.set(field.name, problem)
  }
  return { args: Object.fromEntries(args), problems }
}

interface Parsed {
  readonly value?: unknown
  readonly problem?: string
}

function parseEmpty({ isRequired, kind }: SchemaField): Parsed {
  if (!isRequired) return {}
  if (kind === 'choices') return { value: [] }
  return kind === 'text' || kind === 'long text' ? { value: '' } : { problem: 'is needed' }
}

function parse({ kind }: SchemaField, text: string): Parsed {
  if (kind === 'text' || kind === 'long text') return { value: text }
  if (kind === 'number' || kind === 'whole number') {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (!Number.isFinite(value)) return { problem: 'must be a number' }
    return kind === 'number' || Number.isInteger(value) ? { value } : { problem: 'must be a whole number' }
  }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { problem: 'must be JSON' }
  }
}

function toChoices(schema: FieldSchema): Choice[] {
  const { enum: values, enumNames: names, type } = schema
  if (Array.isArray(values)) {
    return values.map((value, at) => ({ value: toJson(value), label: toText(names?.[at]) || toLabel(value) }))
  }
  if (type === 'boolean') return [true, false].map((value) => ({ value: toJson(value), label: String(value) }))
  const each = [schema.oneOf, schema.anyOf].find((list) => Array.isArray(list) && list.length > 0) ?? []
  if (!each.every((one) => isObject(one) && 'const' in one)) return []
  return each.map((one) => ({ value: toJson(one.const), label: toText(one.title) || toLabel(one.const) }))
}

function toKind({ type, maxLength, format }: FieldSchema): FieldKind {
  if (type === 'integer') return 'whole number'
  if (type === 'number') return 'number'
  if (type === 'string') return typeof maxLength === 'number' && maxLength > LONG_TEXT && !format ? 'long text' : 'text'
  return 'json'
}

function toInitial({ default: preset }: FieldSchema, kind: FieldKind): string {
  if (preset === undefined) return ''
  return kind === 'text' || kind === 'long text' ? String(preset) : toJson(preset)
}

function toHint({ type, minimum, maximum, maxLength, format, items }: FieldSchema): string {
  const list = items?.type === undefined ? 'list' : `list of ${String(items.type)}`
  const what = type === 'array' ? list : Array.isArray(type) ? type.join(' or ') : type
  const most = maxLength === undefined ? undefined : `at most ${maxLength} characters`
  return [what, format, toRange(minimum, maximum), most].filter((word) => word !== undefined).join(', ')
}

function toRange(minimum: unknown, maximum: unknown): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (minimum !== undefined) return `${minimum} or more`
  return maximum === undefined ? undefined : `${maximum} or less`
}

/** A stranger's schema may have anything in the place of a text. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function toLabel(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value)
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function isObject(value: unknown): value is FieldSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
