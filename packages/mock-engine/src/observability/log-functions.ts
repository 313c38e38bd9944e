import { builtin, builtinType } from '../builtins/define.ts'
import { toObjectSchema } from '../builtins/result-schemas.ts'
import type { Bus } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import type { Trigger } from '../bus/trigger.ts'
import type { TriggerType } from '../bus/trigger-types.ts'
import { objectText, toMembers, toStringValue } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import { formatListed, formatRecord, type LogRecord, type LogStore, toNano } from './log-store.ts'

/** The levels that workers log at, with the severity of each. */
const SEVERITY = { trace: 1, debug: 5, info: 9, warn: 13, error: 17 } as const

type Level = keyof typeof SEVERITY

/** A line that a worker logged through the engine, or, without a service, the engine itself. */
export interface LogLine {
  readonly level: Level
  readonly message: string
  readonly service: string | undefined
}

/** `engine::log::*`, `engine::logs::*` and the trigger type `log`. The engine's own lines are not among them. */
export function logBuiltins(
  bus: Bus,
  workerName: string,
  store: LogStore,
  log: (line: LogLine) => void,
): { readonly functions: EngineFunction[]; readonly type: TriggerType } {
  const bindings = new Map<string, Trigger>()
  store.listen((record) => {
    log({ level: levelOf(record), message: record.body, service: record.service })
    for (const trigger of bindings.values()) if (wants(trigger, record)) bus.fire(trigger, formatRecord(record))
  })
  const now = createClock()
  const levels = Object.keys(SEVERITY) as Level[]
  return {
    functions: [
      ...levels.map((level) =>
        logFunction(workerName, level, (record) =>
          store.add({ ...record, ...at(now()), scopeVersion: bus.generation.version }),
        ),
      ),
      listFunction(workerName, store),
      clearFunction(workerName, store),
    ],
    type: logType(workerName, bindings),
  }
}

function logFunction(
  workerName: string,
  level: Level,
  take: (record: Omit<LogRecord, 'time' | 'observed' | 'scopeVersion'>) => void,
): EngineFunction {
  return builtin(workerName, {
    id: `engine::log::${level}`,
    description: `Takes a log line of level ${level}.`,
    input: {
      struct: 'OtelLogInput',
      whole: true,
      fields: {
        message: 'string',
        data: 'json?',
        trace_id: 'string?',
        span_id: 'string?',
        service_name: 'string?',
      },
    },
    handle({ message, data, trace_id: traceId, span_id: spanId, service_name: service }) {
      take({
        severity: SEVERITY[level],
        level: level.toUpperCase(),
        body: message,
        attributes: data !== undefined && toMembers(data) ? data : '{}',
        traceId,
        spanId,
        resource: '{}',
        service,
        scopeName: 'iii',
      })
      return undefined
    },
  })
}

/** Logged and noticed at once. */
const at = (time: bigint) => ({ time, observed: time })

/** A clock that never tells the same time twice, in nanoseconds. */
function createClock(): () => bigint {
  let last = 0n
  return () => {
    const time = toNano(Date.now())
    last = time > last ? time : last + 1n
    return last
  }
}

function listFunction(workerName: string, store: LogStore): EngineFunction {
  return builtin(workerName, {
    id: 'engine::logs::list',
    description: 'The last lines that workers logged, newest first.',
    input: {
      struct: 'LogsListInput',
      whole: true,
      fields: {
        start_time: 'u64?',
        end_time: 'u64?',
        trace_id: 'string?',
        span_id: 'string?',
        severity_min: 'i32?',
        severity_text: 'string?',
        offset: 'usize?',
        limit: 'usize?',
      },
    },
    handle(query) {
      const found = store.find(query)
      const { offset = 0, limit = found.length } = query
      return objectText({
        logs: arrayText(found.slice(offset, offset + limit).map(formatListed)),
        query: formatQuery({ ...NO_QUERY, ...query }),
        timestamp: String(Date.now()),
        total: String(found.length),
      })
    },
  })
}

const NO_QUERY = {
  end_time: undefined,
  limit: undefined,
  offset: undefined,
  severity_min: undefined,
  severity_text: undefined,
  span_id: undefined,
  start_time: undefined,
  trace_id: undefined,
}

/** A query as it is sent back: what was not asked for is null. */
export function formatQuery(query: Readonly<Record<string, string | number | undefined>>): JsonText {
  return objectText(
    Object.fromEntries(Object.entries(query).map(([key, value]) => [key, JSON.stringify(value) ?? 'null'])),
  )
}

function clearFunction(workerName: string, store: LogStore): EngineFunction {
  return builtin(workerName, {
    id: 'engine::logs::clear',
    description: 'Forgets the lines that workers logged.',
    input: { struct: 'LogsClearInput', fields: {} },
    handle() {
      store.clear()
      return '{"success":true}'
    },
  })
}

/** It keeps its bindings even when a worker takes the type over. */
function logType(workerName: string, bindings: Map<string, Trigger>): TriggerType {
  return builtinType(workerName, {
    id: 'log',
    description: 'Log event trigger',
    configSchema: objectText({
      type: '"object"',
      properties: '{"level":{"default":"all","enum":["all","debug","info","warn","error",null]}}',
    }),
    requestSchema: RECORD_SCHEMA,
    // Who says one again under the same id is not heard.
    register: (trigger) => void (bindings.has(trigger.id) || bindings.set(trigger.id, trigger)),
    unregister: ({ id }) => void bindings.delete(id),
  })
}

const RECORD_SCHEMA = toObjectSchema(
  [
    'attributes:any body:string instrumentation_scope_name:string instrumentation_scope_version:string',
    'observed_timestamp_unix_nano:integer resource:any service_name:string severity_number:integer severity_text:string',
    'span_id:string timestamp_unix_nano:integer trace_id:string',
  ].join(' '),
)

/** A level is compared letter by letter; a binding that names none hears all, even lines that name none. */
function wants({ config }: Trigger, { level }: LogRecord): boolean {
  const wanted = toStringValue(toMembers(config)?.get('level')) ?? 'all'
  return wanted === 'all' || wanted === level.toLowerCase()
}

/** The level of a line by its severity, of which each has four; what has none is information. */
function levelOf({ severity }: LogRecord): Level {
  if (severity < SEVERITY.trace || severity > 24) return 'info'
  const levels = Object.keys(SEVERITY) as Level[]
  return levels.findLast((level) => SEVERITY[level] <= severity) ?? 'info'
}
