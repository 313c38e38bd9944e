import { isRecord } from '../json.ts'

/** What the value of a keyword of JSON Schema has to be, and how that reads. */
export interface Rule {
  readonly isMet: (value: unknown) => boolean
  readonly text: string
}

/** The dialects that clients read, and whether `items` may be a list in them. */
const DIALECTS: ReadonlyMap<string, { readonly hasItemLists: boolean }> = new Map([
  ['json-schema.org/draft/2020-12/schema', { hasItemLists: false }],
  ['json-schema.org/draft/2019-09/schema', { hasItemLists: true }],
  ['json-schema.org/draft-07/schema', { hasItemLists: true }],
  ['json-schema.org/draft-06/schema', { hasItemLists: true }],
])

/** The dialect that a schema names. Clients take a schema without one for the newest. */
export function findDialect($schema: unknown): { readonly hasItemLists: boolean } | undefined {
  return typeof $schema === 'string' ? DIALECTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, '')) : undefined
}

function rule(text: string, isMet: Rule['isMet']): Rule {
  return { isMet, text }
}

const TYPES: readonly unknown[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/

const flag = rule('must be true or false', (value) => typeof value === 'boolean')
const number = rule('must be a number', Number.isFinite)
const count = rule('must be a whole number, zero or more', (value) => Number.isInteger(value) && Number(value) >= 0)
const type = rule(`must be one or several of ${TYPES.join(', ')}`, isType)
const choices = rule('must be a list of values', (value) => Array.isArray(value) && value.length > 0)
const dialect = rule('must be a dialect that clients know', (value) => findDialect(value) !== undefined)
const anchor = rule('must be a plain name', (value) => typeof value === 'string' && ANCHOR.test(value))
const namesByName = rule(
  'must hold lists of strings',
  (value) => isRecord(value) && Object.values(value).every((entry) => names.isMet(entry)),
)

export const text = rule('must be a string', (value) => typeof value === 'string')
export const names = rule(
  'must be a list of strings',
  (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
)
/** Compiled the way validators do it, and never run. */
export const pattern = rule('must be a regular expression', (value) => {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp
  } catch {
    return false
  }
})

/** The formats that validators know, in the drafts and in OpenAPI. For any other the most common one writes a warning each time that it reads a list. */
export const FORMATS: ReadonlySet<unknown> = new Set([
  ...['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'regex'],
  ...['uri', 'uri-reference', 'uri-template', 'url', 'json-pointer', 'relative-json-pointer'],
  ...['byte', 'binary', 'password', 'int32', 'int64', 'float', 'double'],
])

/** What stands behind a backslash in every language. */
const COMMON_ESCAPE = /\\(?:[^pPkcub0]|u(?!\{))/gsu
/** In brackets `[` opens others to Java and Rust, `&&` is what both of two sets have, and `\b` is nothing. */
const UNCOMMON = /\\[^b]|\(\?<|\[\^?\]|\[[^\]]*(?:\[|&&|\\b)/s
/** For clients in languages whose regular expressions know less. Some refuse a tool, all tools or every result for one that they cannot compile. */
export const commonPattern = rule(
  'must be a regular expression that clients in all languages read, without \\p, \\k, \\c, \\u{, \\0, (?<, [] and [^], and without [, && and \\b in brackets',
  (value) => pattern.isMet(value) && !UNCOMMON.test(String(value).replace(COMMON_ESCAPE, 'x')),
)

export const positive = rule('must be a number above zero', (value) => Number.isFinite(value) && Number(value) > 0)
/** Most validators divide, and a decimal fraction is none in binary: to them 0.07 is no multiple of 0.01. */
export const exactStep = rule(
  'must be above zero and a multiple of 1/1024: of decimal fractions such as 0.01 clients find no multiples',
  (value) => positive.isMet(value) && Number.isInteger(Number(value) * 1024),
)

function isType(value: unknown): boolean {
  if (!Array.isArray(value)) return TYPES.includes(value)
  return value.length > 0 && new Set(value).size === value.length && value.every((entry) => TYPES.includes(entry))
}

/** The keywords that hold neither subschemas nor references nor text for people, in all drafts that are in use. */
export const RULES: Readonly<Record<string, Rule>> = {
  ...{ $schema: dialect, type, enum: choices, pattern, format: text, nullable: flag },
  ...{ minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number, multipleOf: positive },
  ...{ minLength: count, maxLength: count, minItems: count, maxItems: count, uniqueItems: flag },
  ...{ minContains: count, maxContains: count, minProperties: count, maxProperties: count },
  ...{ required: names, dependentRequired: namesByName, contentEncoding: text, contentMediaType: text },
  ...{ readOnly: flag, writeOnly: flag, deprecated: flag },
  ...{ $anchor: anchor, $dynamicAnchor: anchor, $recursiveAnchor: flag },
}
