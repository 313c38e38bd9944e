/** A JSON Schema as the fields of a form, and what was typed as arguments. */

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly oneOf?: readonly JsonSchema[]
}

export type FieldKind = 'text' | 'long text' | 'number' | 'choice' | 'json'

export interface Field {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  /** Of a choice, as JSON texts. */
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  /** What stands in the field at first. */
  readonly initial: string
  /** What may be typed, in words: `integer, 1 to 100`. */
  readonly hint: string
}

const LONG_TEXT = 200

export function toFields(schema: JsonSchema): Field[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).map(([name, own]) => {
    const property = isObject(own) ? own : {}
    const choices = toChoices(property)
    const kind = toKind(property, choices.length > 0)
    return {
      name,
      label: property.title ?? name,
      description: property.description ?? '',
      kind,
      isRequired: required.has(name),
      choices,
      initial: toInitial(property, kind),
      hint: toHint(property),
    }
  })
}

/** Either the arguments, or what is wrong with each field. A field that is left empty is left out. */
export function toArguments(
  fields: readonly Field[],
  typed: Readonly<Record<string, string>>,
): { readonly args: Record<string, unknown>; readonly problems: Readonly<Record<string, string>> } {
  const args: [string, unknown][] = []
  const problems: [string, string][] = []
  for (const field of fields) {
    const text = typed[field.name] ?? field.initial
    const { value, problem } = text === '' ? parseEmpty(field) : parse(field, text)
    if (value !== undefined) args.push([field.name, value])
    if (problem !== undefined) problems.push([field.name, problem])
  }
  return { args: Object.fromEntries(args), problems: Object.fromEntries(problems) }
}

interface Parsed {
  readonly value?: unknown
  readonly problem?: string
}

function parseEmpty({ isRequired, kind }: Field): Parsed {
  if (!isRequired) return {}
  return kind === 'text' || kind === 'long text' ? { value: '' } : { problem: 'is needed' }
}

function parse({ kind }: Field, text: string): Parsed {
  if (kind === 'text' || kind === 'long text') return { value: text }
  if (kind === 'number')
    return Number.isFinite(Number(text)) ? { value: Number(text) } : { problem: 'must be a number' }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { problem: 'must be JSON' }
  }
}

function toChoices(schema: JsonSchema): Field['choices'] {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => ({ value: toJson(value), label: toLabel(value) }))
  if (schema.type === 'boolean') return [true, false].map((value) => ({ value: toJson(value), label: String(value) }))
  const each = Array.isArray(schema.oneOf) ? schema.oneOf : []
  if (each.length === 0 || !each.every((one) => isObject(one) && 'const' in one)) return []
  return each.map((one) => ({ value: toJson(one.const), label: one.title ?? toLabel(one.const) }))
}

function toKind({ type, maxLength = Number.POSITIVE_INFINITY, format }: JsonSchema, hasChoices: boolean): FieldKind {
  if (hasChoices) return 'choice'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string')
    return maxLength > LONG_TEXT && maxLength !== Number.POSITIVE_INFINITY && !format ? 'long text' : 'text'
  return 'json'
}

function toInitial({ default: preset }: JsonSchema, kind: FieldKind): string {
  if (preset === undefined) return ''
  return kind === 'text' || kind === 'long text' ? String(preset) : toJson(preset)
}

function toHint({ type, minimum, maximum, maxLength, format, items }: JsonSchema): string {
  const list = items?.type === undefined ? 'list' : `list of ${String(items.type)}`
  const what = type === 'array' ? list : Array.isArray(type) ? type.join(' or ') : type
  const words = [
    what,
    format,
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}`
      : minimum !== undefined
        ? `${minimum} or more`
        : maximum !== undefined
          ? `${maximum} or less`
          : undefined,
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
  ]
  return words.filter((word) => word !== undefined).join(', ')
}

function toLabel(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value)
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
