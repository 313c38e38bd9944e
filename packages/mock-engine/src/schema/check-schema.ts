import { toItems, toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { KEYWORD_SHAPES } from './keyword-shapes.ts'
import { resolve } from './resolve.ts'
import { validate } from './validate.ts'

const TYPES: ReadonlySet<string | undefined> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
])

/** @returns what is wrong with a JSON Schema; `undefined` when it can be used. */
export function checkSchema(schema: JsonText, root: JsonText = schema): string | undefined {
  if (schema === 'true' || schema === 'false') return undefined
  const members = toMembers(schema)
  if (!members) return `${schema} is not of types "boolean", "object"`
  const problem =
    checkType(members.get('type')) ??
    validate(KEYWORD_SHAPES, schema)[0] ??
    checkDialect(members.get('$schema')) ??
    checkPattern(members) ??
    checkReference(members.get('$ref'), root)
  if (problem !== undefined) return problem
  for (const inner of subschemas(members)) {
    const innerProblem = checkSchema(inner, root)
    if (innerProblem !== undefined) return innerProblem
  }
  return undefined
}

function checkType(type: JsonText | undefined): string | undefined {
  if (type === undefined) return undefined
  const names = toItems(type) ?? [type]
  if (names.length > 0 && names.every((name) => TYPES.has(toStringValue(name)))) return undefined
  return `${type} is not valid under any of the schemas listed in the 'anyOf' keyword`
}

const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft-0[467]|draft\/(?:2019-09|2020-12))\/schema#?$/

function checkDialect(dialect: JsonText | undefined): string | undefined {
  const name = toStringValue(dialect)
  return name === undefined || DIALECT.test(name) ? undefined : `Unknown specification: ${name}`
}

function checkPattern(schema: ReadonlyMap<string, JsonText>): string | undefined {
  const patterns = [
    toStringValue(schema.get('pattern')),
    ...(toMembers(schema.get('patternProperties') ?? 'null')?.keys() ?? []),
  ]
  const bad = patterns.find((pattern) => pattern !== undefined && !isRegex(pattern))
  return bad === undefined ? undefined : `${JSON.stringify(bad)} is not a "regex"`
}

function isRegex(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

function checkReference(reference: JsonText | undefined, root: JsonText): string | undefined {
  const target = toStringValue(reference)
  if (target === undefined || resolve(target, root) !== undefined) return undefined
  if (target.startsWith('#')) return `Pointer '${target.slice(1)}' does not exist`
  return `Resource '${target}' is not present in a registry and retrieving it failed`
}

const ONE = ['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'] as const
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const MAPS = ['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'] as const

/** The schemas inside of a schema, as far as they are looked at. */
function subschemas(schema: ReadonlyMap<string, JsonText>): JsonText[] {
  return [
    ...ONE.flatMap((keyword) => schema.get(keyword) ?? []),
    ...LISTS.flatMap((keyword) => toItems(schema.get(keyword) ?? 'null') ?? []),
    ...MAPS.flatMap((keyword) => [...(toMembers(schema.get(keyword) ?? 'null')?.values() ?? [])]),
  ]
}
