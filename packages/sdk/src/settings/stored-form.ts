import type { Given } from '../options/given.ts'
import { toNested } from '../options/nested.ts'
import type { AnyOptionTable, OptionSpec } from '../options/option-table.ts'
import { type JsonSchema, toJsonSchema } from '../schema/json-schema.ts'

/** What stands below an option that the store can only make stricter. */
const STRICTER =
  'Stored here, it can be made stricter than what environment and file say, and never less strict; a flag counts before it.'

/** The schema of what may be stored, which the console shows as a form; undefined when nothing may be. */
export function toForm(table: AnyOptionTable): JsonSchema | undefined {
  const form: JsonSchema = {}
  for (const [, place, spec] of storedSpecs(table)) addField(form, place.split('.'), toField(spec))
  return form['properties'] === undefined ? undefined : form
}

/** What is stored at first: the settings of environment and file, as far as they may be. */
export function toSeed(table: AnyOptionTable, given: ReadonlyMap<string, Given>): Record<string, unknown> {
  return toNested(
    storedSpecs(table).flatMap(([name, place]) => {
      const one = given.get(name)
      return one === undefined || one.from === 'flag' ? [] : [[place, one.value] as const]
    }),
  )
}

function storedSpecs(table: AnyOptionTable): [name: string, place: string, spec: OptionSpec<unknown>][] {
  return Object.entries(table).flatMap(([name, spec]) =>
    spec.yaml === undefined || spec.stored === undefined ? [] : [[name, spec.yaml, spec]],
  )
}

function addField(group: JsonSchema, [key = '', ...deeper]: readonly string[], field: JsonSchema): void {
  group['type'] = 'object'
  group['properties'] ??= {}
  const properties = group['properties'] as Record<string, JsonSchema>
  const inner = { title: toTitle(key), ...properties[key] }
  if (deeper.length === 0) properties[key] = { ...inner, ...field }
  else {
    properties[key] = inner
    addField(inner, deeper, field)
  }
}

function toField({ schema, describe, default: value, stored }: OptionSpec<unknown>): JsonSchema {
  const { $schema: _, ...rest } = toJsonSchema(schema, 'input')
  return {
    ...rest,
    description: stored === 'any' ? describe : `${describe} ${STRICTER}`,
    ...(value === undefined ? {} : { default: value }),
  }
}

function toTitle(key: string): string {
  const words = key.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
