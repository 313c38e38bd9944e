import { isRecord, type JsonObject } from '@iii/protocol'

const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time']
const KINDS = 'texts, numbers, booleans and choices'

/**
 * Says why a client could not show a schema as a form: it has to be an object of plain fields, with nothing nested.
 *
 * @returns undefined for a schema that every client with forms can show
 */
export function explainFormSchema(schema: unknown): string | undefined {
  if (!isRecord(schema) || schema['type'] !== 'object') return "requestedSchema must be a JSON Schema of type 'object'"
  const { properties, required } = schema
  if (!isRecord(properties)) return 'requestedSchema must have properties'
  if (required !== undefined && !isTexts(required)) return 'requestedSchema.required must be a list of strings'
  for (const [name, field] of Object.entries(properties)) {
    const problem = explainField(field)
    if (problem !== undefined) return `requestedSchema.properties.${name.slice(0, 64)} ${problem}`
  }
  return undefined
}

function explainField(field: unknown): string | undefined {
  if (!isRecord(field)) return `must be a schema; a form has ${KINDS}`
  const { type } = field
  if (type === 'string') return explainText(field)
  if (type === 'array') return explainChoices(field)
  if (type === 'number' || type === 'integer' || type === 'boolean') return undefined
  const shown = typeof type === 'string' ? `of type '${type.slice(0, 64)}'` : 'without a single type'
  return `is ${shown}; a form has ${KINDS}, and nothing nested`
}

function explainText({ format, enum: values, enumNames: names, oneOf }: JsonObject): string | undefined {
  if (format !== undefined && !FORMATS.includes(format)) return `has a format that is not one of ${FORMATS.join(', ')}`
  if (values !== undefined && !isTexts(values)) return 'must have texts in its enum'
  if (names !== undefined && !(isTexts(names) && isTexts(values) && names.length === values.length)) {
    return 'must have as many enumNames as values in its enum'
  }
  return oneOf === undefined || areTitled(oneOf) ? undefined : 'must have { const, title } with texts in its oneOf'
}

function explainChoices({ items }: JsonObject): string | undefined {
  const choices =
    isRecord(items) && ((items['type'] === 'string' && isTexts(items['enum'])) || areTitled(items['anyOf']))
  return choices
    ? undefined
    : 'is a list; a form has lists of choices only: items with an enum of texts, or anyOf with { const, title }'
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

function areTitled(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((entry) => isRecord(entry) && typeof entry['const'] === 'string' && typeof entry['title'] === 'string')
  )
}
