import { objectText, quote, toMembers } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { ENGINE_VERSION } from '../version.ts'

/** The levels that workers log at, with the severity of each. */
export const SEVERITY = { trace: 1, debug: 5, info: 9, warn: 13, error: 17 } as const

export type Level = keyof typeof SEVERITY

/** A line that a worker logged. */
export interface LogRecord {
  readonly level: Level
  readonly message: string
  readonly data: JsonText | undefined
  readonly traceId: string | undefined
  readonly spanId: string | undefined
  readonly service: string | undefined
  /** In milliseconds. */
  readonly time: number
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
  /** Newest first. */
  find(filter: LogFilter): LogRecord[]
}

/** The engine forgets the oldest line beyond this many. */
const MAX_RECORDS = 1000

export function createLogStore(): LogStore {
  const records: LogRecord[] = []
  return {
    get size() {
      return records.length
    },
    add(record) {
      records.unshift(record)
      if (records.length > MAX_RECORDS) records.pop()
    },
    clear: () => void records.splice(0),
    find: (filter) => records.filter((record) => fits(record, filter)),
  }
}

function fits(record: LogRecord, filter: LogFilter): boolean {
  const same = (wanted: string | undefined, value: string | undefined) => wanted === undefined || wanted === value
  return (
    same(filter.trace_id, record.traceId) &&
    same(filter.span_id, record.spanId) &&
    same(filter.severity_text?.toLowerCase(), record.level) &&
    SEVERITY[record.level] >= (filter.severity_min ?? 0) &&
    record.time >= (filter.start_time ?? 0) &&
    record.time <= (filter.end_time ?? Number.POSITIVE_INFINITY)
  )
}

/** A line as lists and the trigger type `log` show it. */
export function formatRecord(record: LogRecord): JsonText {
  const { level, message, data, traceId, spanId, service, time } = record
  const nano = `${time}000000`
  const text = (value: string | undefined) => (value === undefined ? 'null' : quote(value))
  return objectText({
    attributes: data !== undefined && toMembers(data) ? data : '{}',
    body: quote(message),
    instrumentation_scope_name: '"iii"',
    instrumentation_scope_version: quote(ENGINE_VERSION),
    observed_timestamp_unix_nano: nano,
    resource: '{}',
    service_name: quote(service ?? 'unknown'),
    severity_number: String(SEVERITY[level]),
    severity_text: quote(level.toUpperCase()),
    span_id: text(spanId),
    timestamp_unix_nano: nano,
    trace_id: text(traceId),
  })
}
