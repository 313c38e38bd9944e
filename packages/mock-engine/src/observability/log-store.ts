import { stripVTControlCharacters } from 'node:util'
import { objectText, quote, toMembers, toStringValue } from '../json/build.ts'
import { formatObject, type JsonText } from '../json/json-text.ts'

/** A line that a worker logged. */
export interface LogRecord {
  /** When it was logged and when that was noticed, in nanoseconds; 0 is unknown. */
  readonly time: bigint
  readonly observed: bigint
  readonly severity: number
  readonly level: string
  readonly body: string
  /** An object. */
  readonly attributes: JsonText
  readonly traceId: string | undefined
  readonly spanId: string | undefined
  /** An object. */
  readonly resource: JsonText
  readonly service: string | undefined
  readonly scopeName: string | undefined
  readonly scopeVersion: string | undefined
}

/** What a list of log lines is narrowed to. */
export interface LogFilter {
  readonly trace_id: string | undefined
  readonly span_id: string | undefined
  readonly severity_min: number | undefined
  readonly severity_text: string | undefined
  /** In milliseconds. */
  readonly start_time: number | undefined
  readonly end_time: number | undefined
}

/** The last lines that were logged. */
export interface LogStore {
  readonly size: number
  add(record: LogRecord): void
  clear(): void
  /** Newest first; those of one time in the order they came. */
  find(filter: LogFilter): LogRecord[]
  /** Calls a listener with every line to come. */
  listen(listener: (record: LogRecord) => void): void
}

/** The engine forgets the oldest line beyond this many. */
const MAX_RECORDS = 1000

export function createLogStore(): LogStore {
  const records: LogRecord[] = []
  const listeners: ((record: LogRecord) => void)[] = []
  return {
    get size() {
      return records.length
    },
    add(colored) {
      const record = withoutColors(colored)
      records.push(record)
      if (records.length > MAX_RECORDS) records.shift()
      for (const listener of listeners) listener(record)
    },
    clear: () => void records.splice(0),
    find: (filter) =>
      records
        .filter((record) => fits(record, filter))
        .sort((a, b) => (a.time === b.time ? 0 : a.time < b.time ? 1 : -1)),
    listen: (listener) => void listeners.push(listener),
  }
}

/** Without what colors the body, and attributes that are texts, on a terminal. */
function withoutColors(record: LogRecord): LogRecord {
  const attributes = new Map<string, JsonText>()
  for (const [key, value] of toMembers(record.attributes) ?? []) {
    const text = toStringValue(value)
    attributes.set(key, text === undefined ? value : quote(stripVTControlCharacters(text)))
  }
  return { ...record, body: stripVTControlCharacters(record.body), attributes: formatObject(attributes) }
}

const END_OF_TIME = 2n ** 64n

function fits(record: LogRecord, filter: LogFilter): boolean {
  const same = (wanted: string | undefined, value: string | undefined) => wanted === undefined || wanted === value
  return (
    same(filter.trace_id, record.traceId) &&
    same(filter.span_id, record.spanId) &&
    same(filter.severity_text?.toLowerCase(), record.level.toLowerCase()) &&
    (filter.severity_min === undefined || record.severity >= filter.severity_min) &&
    (filter.start_time === undefined || record.time >= toNano(filter.start_time)) &&
    (filter.end_time === undefined || isUpTo(toNano(filter.end_time), record.time))
  )
}

/** Nothing was logged up to an end that is out of range. */
function isUpTo(end: bigint, time: bigint): boolean {
  return end < END_OF_TIME && time <= end
}

/** Milliseconds as nanoseconds. */
export function toNano(ms: number): bigint {
  return BigInt(ms) * 1_000_000n
}

/** A line as the trigger type `log` tells it. */
export function formatRecord(record: LogRecord): JsonText {
  return format(record, 'null')
}

/** A line as lists show it: a scope that is unknown is left out. */
export function formatListed(record: LogRecord): JsonText {
  return format(record, undefined)
}

function format(record: LogRecord, noScope: JsonText | undefined): JsonText {
  const text = <T>(value: string | undefined, otherwise: T) => (value === undefined ? otherwise : quote(value))
  return objectText({
    attributes: record.attributes,
    body: quote(record.body),
    instrumentation_scope_name: text(record.scopeName, noScope),
    instrumentation_scope_version: text(record.scopeVersion, noScope),
    observed_timestamp_unix_nano: String(record.observed),
    resource: record.resource,
    service_name: quote(record.service ?? 'unknown'),
    severity_number: String(record.severity),
    severity_text: quote(record.level),
    span_id: text(record.spanId, 'null'),
    timestamp_unix_nano: String(record.time),
    trace_id: text(record.traceId, 'null'),
  })
}
