import { decode, type InputOf, type InputShape, type Kind } from '../builtins/input.ts'
import { Mismatch, mismatch } from '../builtins/mismatch.ts'
import { quote, toItems, toStringValue } from '../json/build.ts'
import { arrayText, formatObject, type JsonText } from '../json/json-text.ts'
import { formatDouble, spellDouble } from '../json/number.ts'
import { parseJson } from '../json/parse.ts'
import { decodeUtf8 } from '../json/utf8.ts'
import type { LogRecord } from './log-store.ts'

const REQUEST = { struct: 'LogsRequest', fields: { resourceLogs: 'json=' } } as const
const RESOURCE_LOGS = { struct: 'ResourceLogs', fields: { resource: 'json?', scopeLogs: 'json=' } } as const
const RESOURCE = { struct: 'Resource', fields: { attributes: 'json=' } } as const
const SCOPE_LOGS = { struct: 'ScopeLogs', fields: { scope: 'json?', logRecords: 'json=' } } as const
const SCOPE = { struct: 'Scope', fields: { name: 'string?', version: 'string?' } } as const
const RECORD = {
  struct: 'LogRecord',
  fields: {
    timeUnixNano: 'json=',
    observedTimeUnixNano: 'json=',
    severityNumber: 'i32?',
    severityText: 'string?',
    body: 'json?',
    attributes: 'json=',
    traceId: 'string?',
    spanId: 'string?',
    flags: 'u32?',
  },
} as const
const PAIR = { struct: 'KeyValue', fields: { key: 'string', value: 'json?' } } as const
const PAIRS = { struct: 'KeyValueList', fields: { values: 'json=' } } as const
const VALUE = {
  struct: 'AnyValue',
  whole: true,
  fields: {
    stringValue: 'string?',
    intValue: 'json?',
    doubleValue: 'f64?',
    boolValue: 'boolean?',
    kvlistValue: 'json?',
    arrayValue: 'json?',
  },
} as const
const LIST = { struct: 'ArrayValue', fields: { values: 'json=' } } as const

/** Reads the log lines of an OpenTelemetry export in JSON; `undefined` when anything in it cannot be read. */
export function readLogs(json: Buffer): LogRecord[] | undefined {
  const text = parseJson(decodeUtf8(json) ?? '')
  if (text === undefined) return undefined
  try {
    return readEach(RESOURCE_LOGS, decode(REQUEST, text).resourceLogs).flatMap(readResourceLogs)
  } catch (error) {
    if (error instanceof Mismatch) return undefined
    throw error
  }
}

function readResourceLogs({ resource, scopeLogs }: InputOf<(typeof RESOURCE_LOGS)['fields']>): LogRecord[] {
  const pairs = resource === undefined ? [] : readPairs(decode(RESOURCE, resource).attributes)
  const origin = {
    resource: formatObject(new Map(pairs.map(([key, value]) => [key, quote(spell(value))]))),
    service: pairs.filter(([key]) => key === 'service.name').map(([, value]) => spell(value))[0],
  }
  return readEach(SCOPE_LOGS, scopeLogs).flatMap(({ scope, logRecords }) => {
    const { name, version } = scope === undefined ? {} : decode(SCOPE, scope)
    const inScope = { ...origin, scopeName: name || undefined, scopeVersion: version || undefined }
    return readEach(RECORD, logRecords).map((record) => ({ ...inScope, ...readRecord(record) }))
  })
}

function readRecord(record: InputOf<(typeof RECORD)['fields']>) {
  return {
    time: readTime(record.timeUnixNano),
    observed: readTime(record.observedTimeUnixNano),
    severity: record.severityNumber ?? 0,
    level: record.severityText ?? '',
    body: record.body === undefined ? '' : spell(readValue(record.body)),
    attributes: formatObject(new Map(readPairs(record.attributes))),
    traceId: readId(record.traceId, 32),
    spanId: readId(record.spanId, 16),
  }
}

/** An id of zeros is none. */
function readId(id: string | undefined, length: number): string | undefined {
  return id === '' || id === '0'.repeat(length) ? undefined : id
}

function readTime(text: JsonText = '0'): bigint {
  const digits = toStringValue(text)?.replace(/^\+/, '') ?? text
  const time = /^\d+$/.test(digits) ? BigInt(digits) : -1n
  return BigInt.asUintN(64, time) === time ? time : mismatch(text, 'a number')
}

/** The members of a list of pairs; those without a value do not count. */
function readPairs(list: JsonText | undefined): [string, JsonText][] {
  return readEach(PAIR, list).flatMap(({ key, value }): [string, JsonText][] =>
    value === undefined ? [] : [[key, readValue(value)]],
  )
}

/** The first kind of value that is there counts, but the others have to be right as well. */
function readValue(text: JsonText): JsonText {
  const { stringValue, intValue, doubleValue, boolValue, kvlistValue, arrayValue } = decode(VALUE, text)
  const integer = intValue === undefined ? undefined : readInteger(intValue)
  const pairs = kvlistValue === undefined ? undefined : readPairs(decode(PAIRS, kvlistValue).values)
  const items = arrayValue === undefined ? undefined : toList(decode(LIST, arrayValue).values).map(readValue)
  if (stringValue !== undefined) return quote(stringValue)
  if (integer !== undefined) return String(integer)
  if (doubleValue !== undefined) return formatDouble(doubleValue)
  if (boolValue !== undefined) return String(boolValue)
  if (pairs) return formatObject(new Map(pairs))
  return items ? arrayText(items) : 'null'
}

function readInteger(text: JsonText): bigint {
  const digits = toStringValue(text)?.replace(/^\+(?=\d)/, '') ?? text
  if (!/^-?\d+$/.test(digits)) return mismatch(text, 'an integer')
  const value = BigInt(digits)
  return BigInt.asIntN(64, value) === value ? value : mismatch(text, 'i64')
}

/** A value as a text: a string is itself, numbers are written out, what is nested is JSON, and nothing is empty. */
function spell(value: JsonText): string {
  if (value === 'null') return ''
  if (/^-?\d.*[.e]/.test(value)) return spellDouble(Number(value))
  return toStringValue(value) ?? value
}

function readEach<F extends Record<string, Kind>>(shape: InputShape<F>, list: JsonText | undefined): InputOf<F>[] {
  return toList(list).map((item) => decode(shape, item))
}

function toList(text: JsonText = '[]'): JsonText[] {
  return toItems(text) ?? mismatch(text, 'a sequence')
}
