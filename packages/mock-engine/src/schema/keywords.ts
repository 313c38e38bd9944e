import { quote, toItems, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { Keyword, KeywordScope, Validate } from './keyword.ts'
import { checkObject, OBJECT_KEYWORDS } from './object-keywords.ts'

export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: checkType,
  const: ({ argument }, value) => (value === argument ? [] : [`${argument} was expected`]),
  enum: ({ argument }, value) =>
    toItems(argument)?.includes(value) === false ? [`${value} is not one of ${argument}`] : [],

  minimum: bound((value, limit) => value >= limit, 'less than the minimum of'),
  maximum: bound((value, limit) => value <= limit, 'greater than the maximum of'),
  exclusiveMinimum: bound((value, limit) => value > limit, 'less than or equal to the minimum of'),
  exclusiveMaximum: bound((value, limit) => value < limit, 'greater than or equal to the maximum of'),
  multipleOf: bound((value, factor) => Number.isInteger(value / factor), 'not a multiple of'),

  minLength: count(lengthOf, (length, limit) => length >= limit, 'is shorter than', 'character', 'characters'),
  maxLength: count(lengthOf, (length, limit) => length <= limit, 'is longer than', 'character', 'characters'),
  pattern({ argument }, value) {
    const text = toStringValue(value)
    const pattern = toStringValue(argument)
    if (text === undefined || pattern === undefined || new RegExp(pattern, 'u').test(text)) return []
    return [`${value} does not match ${argument}`]
  },

  minItems: count(sizeOf, (size, limit) => size >= limit, 'has less than', 'item', 'items'),
  maxItems: count(sizeOf, (size, limit) => size <= limit, 'has more than', 'item', 'items'),
  uniqueItems({ argument }, value) {
    const items = toItems(value)
    return argument === 'true' && items && new Set(items).size < items.length
      ? [`${value} has non-unique elements`]
      : []
  },
  prefixItems: ({ argument, check }, value) =>
    (toItems(argument) ?? []).flatMap((schema, i) => {
      const item = toItems(value)?.[i]
      return item === undefined ? [] : check(schema, item)
    }),
  items: ({ argument, schema, check }, value) =>
    (toItems(value) ?? [])
      .slice(toItems(schema.get('prefixItems') ?? 'null')?.length ?? 0)
      .flatMap((item) => check(argument, item)),
  contains({ argument, check }, value) {
    const items = toItems(value)
    if (!items || items.some((item) => check(argument, item).length === 0)) return []
    return [`None of ${value} are valid under the given schema`]
  },

  allOf: ({ argument, check }, value) => (toItems(argument) ?? []).flatMap((schema) => check(schema, value)),
  anyOf: ({ argument, check }, value) => (fitting(argument, check, value) > 0 ? [] : [noneFits(value, 'anyOf')]),
  oneOf({ argument, check }, value) {
    const fits = fitting(argument, check, value)
    if (fits === 0) return [noneFits(value, 'oneOf')]
    return fits === 1 ? [] : [`${value} is valid under more than one of the schemas listed in the 'oneOf' keyword`]
  },
  not: ({ argument, check }, value) =>
    check(argument, value).length === 0 ? [`${argument} is not allowed for ${value}`] : [],
  if({ argument, schema, check }, value) {
    const branch = schema.get(check(argument, value).length === 0 ? 'then' : 'else')
    return branch === undefined ? [] : check(branch, value)
  },

  ...OBJECT_KEYWORDS,
  additionalProperties: checkObject,
}

function checkType({ argument }: KeywordScope, value: JsonText): string[] {
  const names = (toItems(argument) ?? [argument]).map((name) => toStringValue(name) ?? '')
  if (names.some((name) => isOfType(name, value))) return []
  const listed = [...names].sort().map(quote).join(', ')
  return [`${value} is not of ${names.length > 1 ? 'types' : 'type'} ${listed}`]
}

function isOfType(type: string, value: JsonText): boolean {
  switch (value.charAt(0)) {
    case '"':
      return type === 'string'
    case '{':
      return type === 'object'
    case '[':
      return type === 'array'
    case 'n':
      return type === 'null'
    case 't':
    case 'f':
      return type === 'boolean'
    default:
      return type === 'number' || (type === 'integer' && Number.isInteger(Number(value)))
  }
}

function toNumber(value: JsonText): number | undefined {
  return /^[-\d]/.test(value) ? Number(value) : undefined
}

function bound(holds: (value: number, limit: number) => boolean, complaint: string): Keyword {
  return ({ argument }, value) => {
    const number = toNumber(value)
    const limit = toNumber(argument)
    if (number === undefined || limit === undefined || holds(number, limit)) return []
    return [`${value} is ${complaint} ${argument}`]
  }
}

function count(
  measure: (value: JsonText) => number | undefined,
  holds: (size: number, limit: number) => boolean,
  complaint: string,
  singular: string,
  plural: string,
): Keyword {
  return ({ argument }, value) => {
    const size = measure(value)
    const limit = toNumber(argument)
    if (size === undefined || limit === undefined || holds(size, limit)) return []
    return [`${value} ${complaint} ${limit} ${limit === 1 ? singular : plural}`]
  }
}

function lengthOf(value: JsonText): number | undefined {
  const text = toStringValue(value)
  return text === undefined ? undefined : [...text].length
}

function sizeOf(value: JsonText): number | undefined {
  return toItems(value)?.length
}

function fitting(schemas: JsonText, check: Validate, value: JsonText): number {
  return (toItems(schemas) ?? []).filter((schema) => check(schema, value).length === 0).length
}

function noneFits(value: JsonText, keyword: string): string {
  return `${value} is not valid under any of the schemas listed in the '${keyword}' keyword`
}
