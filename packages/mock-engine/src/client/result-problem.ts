import { toResultData } from '@iii/protocol'
import { toItems, toMembers, toStringValue, toText, toValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { resolve } from '../schema/resolve.ts'
import { validate } from '../schema/validate.ts'
import { EngineError } from '../wire/engine-error.ts'

const MAX_TOLD = 3
const MAX_LENGTH = 300

/**
 * Holds a result against the schema that its function was registered with, as MCP clients do.
 *
 * @returns what is wrong, `made: "3" is not of type "number"`; undefined for a result that fits, and for a schema that cannot be used.
 */
export function findResultProblem(schema: JsonText, result: JsonText = 'null'): string | undefined {
  if (checkSchema(schema) !== undefined) return undefined
  const owed = toResultData(toValue(result))
  if (owed === undefined) return undefined
  const problems = locate({ root: schema, schema, value: toText(owed.data), path: '' })
  if (problems.length === 0) return undefined
  const more = problems.length > MAX_TOLD ? `; and ${problems.length - MAX_TOLD} more` : ''
  return problems.slice(0, MAX_TOLD).join('; ') + more
}

/** @throws EngineError `result_invalid` for a result that breaks the schema of its function. */
export function requireFit(functionId: string, schema: JsonText, result: JsonText | undefined): void {
  const problem = findResultProblem(schema, result)
  if (problem === undefined) return
  const what = `${functionId} returned what breaks its response_format: ${problem}`
  throw new EngineError('result_invalid', `${what}. MCP clients refuse such a result (\`strict: false\` lets it pass)`)
}

interface Place {
  readonly root: JsonText
  readonly schema: JsonText
  readonly value: JsonText
  readonly path: string
}

/** Follows what is wrong as far as fields and items lead to it. */
function locate({ root, schema, value, path }: Place): string[] {
  const members = toMembers(schema)
  const target = toStringValue(members?.get('$ref'))
  if (target !== undefined) return locate({ root, schema: resolve(target, root) ?? 'true', value, path })
  const problems = validate(schema, value, root)
  if (problems.length === 0) return []
  const deeper = [...innerPlaces({ root, schema, value, path })].flatMap(locate)
  return deeper.length > 0 ? deeper : problems.map((problem) => `${path || 'the result'}: ${cut(problem)}`)
}

function* innerPlaces({ root, schema, value, path }: Place): Generator<Place> {
  const rules = toMembers(schema)
  const fields = toMembers(rules?.get('properties') ?? 'null') ?? new Map<string, JsonText>()
  const values = toMembers(value)
  for (const [name, rule] of fields) {
    const inner = values?.get(name)
    if (inner !== undefined) yield { root, schema: rule, value: inner, path: path === '' ? name : `${path}.${name}` }
  }
  const rule = rules?.get('items')
  if (rule === undefined) return
  for (const [index, item] of (toItems(value) ?? []).entries()) {
    yield { root, schema: rule, value: item, path: `${path}[${index}]` }
  }
}

function cut(problem: string): string {
  return problem.length > MAX_LENGTH ? `${problem.slice(0, MAX_LENGTH).toWellFormed()}…` : problem
}
