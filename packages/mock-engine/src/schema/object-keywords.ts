import { quote, toItems, toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { Keyword, KeywordScope } from './keyword.ts'

const NOTHING: ReadonlyMap<string, JsonText> = new Map()

/** The keywords that are about objects. */
export const OBJECT_KEYWORDS: Readonly<Record<string, Keyword>> = {
  properties: (scope, value) => (scope.schema.has('additionalProperties') ? [] : checkObject(scope, value)),
  patternProperties: ({ schema, ...scope }, value) =>
    schema.has('additionalProperties') || schema.has('properties') ? [] : checkObject({ schema, ...scope }, value),
  required: ({ argument }, value) => missing(argument, value),
  minProperties: countProperties((size, limit) => size >= limit, 'less'),
  maxProperties: countProperties((size, limit) => size <= limit, 'more'),
  propertyNames: ({ argument, check }, value) =>
    [...(toMembers(value)?.keys() ?? [])].flatMap((key) => check(argument, quote(key))),
  dependentRequired: checkDependent,
  dependencies: checkDependent,
  dependentSchemas: checkDependent,
}

/** Holds every property against what its name, a pattern or nothing of both says. */
export function checkObject({ schema, check }: KeywordScope, value: JsonText): string[] {
  const members = toMembers(value)
  if (!members) return []
  const named = toMembers(schema.get('properties') ?? 'null') ?? NOTHING
  const patterns = [...(toMembers(schema.get('patternProperties') ?? 'null') ?? [])]
  const rest = schema.get('additionalProperties')
  const unexpected: string[] = []
  const [first] = members.values()
  if (rest === 'false' && !schema.has('properties') && !schema.has('patternProperties')) {
    return first === undefined ? [] : check('false', first)
  }
  const problems = [...members].flatMap(([key, member]) => {
    const own = named.get(key)
    const matching = patterns.flatMap(([pattern, inner]) => (new RegExp(pattern, 'u').test(key) ? [inner] : []))
    const schemas = own === undefined ? matching : [own, ...matching]
    if (schemas.length > 0) return schemas.flatMap((inner) => check(inner, member))
    if (rest === 'false') unexpected.push(`'${key}'`)
    return rest === undefined || rest === 'false' ? [] : check(rest, member)
  })
  if (unexpected.length === 0) return problems
  const were = unexpected.length === 1 ? 'was' : 'were'
  return [...problems, `Additional properties are not allowed (${unexpected.join(', ')} ${were} unexpected)`]
}

function missing(names: JsonText, value: JsonText): string[] {
  const members = toMembers(value)
  if (!members) return []
  return (toItems(names) ?? [])
    .filter((name) => !members.has(toStringValue(name) ?? ''))
    .map((name) => `${name} is a required property`)
}

function countProperties(holds: (size: number, limit: number) => boolean, complaint: string): Keyword {
  return ({ argument }, value) => {
    const size = toMembers(value)?.size
    const limit = Number(argument)
    if (size === undefined || holds(size, limit)) return []
    return [`${value} has ${complaint} than ${limit} ${limit === 1 ? 'property' : 'properties'}`]
  }
}

/** What has to be there, or to hold, when a property is there. */
function checkDependent({ argument, check }: KeywordScope, value: JsonText): string[] {
  const members = toMembers(value)
  return [...(toMembers(argument) ?? [])].flatMap(([key, wanted]) => {
    if (!members?.has(key)) return []
    return wanted.startsWith('[') ? missing(wanted, value) : check(wanted, value)
  })
}
