import { builtin } from '../builtins/define.ts'
import type { Bus } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import { objectText, quote, quoteMaybe } from '../json/build.ts'
import { formatObject } from '../json/json-text.ts'
import { parseBaggage } from '../wire/baggage.ts'
import { EngineError } from '../wire/engine-error.ts'
import { formatQuery } from './log-functions.ts'

/**
 * Traces, metrics, alerts and baggage as on an engine that sends its spans to a collector: it keeps none itself, no
 * metrics of workers, and has no alert rules.
 */
export function telemetryBuiltins(bus: Bus, workerName: string): EngineFunction[] {
  return [
    ...traceBuiltins(bus, workerName),
    ...metricBuiltins(bus, workerName),
    ...alertBuiltins(workerName),
    ...baggageBuiltins(workerName),
    builtin(workerName, {
      id: 'engine::sampling::rules',
      description: 'Which traces and log lines are kept: all.',
      input: { struct: 'LogsClearInput', fields: {} },
      handle: () =>
        objectText({
          logs: '{"sampling_ratio":1.0}',
          timestamp: now(),
          traces: '{"default_ratio":1.0,"parent_based":true,"rules":[]}',
        }),
    }),
  ]
}

const PAGE = 100

/** What is said of an archive of spans that there is none of. */
const NO_ARCHIVE =
  '{"archive":"disabled","completeness":"complete","known_dropped_spans":0,"last_error":null,"max_disk_bytes":0,"physical_bytes":0}'

function traceBuiltins({ generation }: Bus, workerName: string): EngineFunction[] {
  const archive = generation.newer({ storage: NO_ARCHIVE })
  return [
    builtin(workerName, {
      id: 'engine::traces::list',
      description: 'The spans that are kept: none.',
      input: {
        struct: 'TracesListInput',
        whole: true,
        fields: {
          trace_id: 'string?',
          trace_ids: 'strings?',
          offset: 'usize?',
          limit: 'usize?',
          service_name: 'string?',
          name: 'string?',
          status: 'string?',
          min_duration_ms: 'f64?',
          max_duration_ms: 'f64?',
          start_time: 'u64?',
          end_time: 'u64?',
          sort_by: 'string?',
          sort_order: 'string?',
          attributes: 'pairs?',
          exclude_attributes: 'pairs?',
          include_internal: 'boolean?',
          search_all_spans: 'boolean?',
        },
      },
      handle: ({ offset = 0, limit = PAGE }) =>
        objectText({
          limit: String(limit),
          offset: String(offset),
          spans: '[]',
          total: '0',
          ...archive,
        }),
    }),
    builtin(workerName, {
      id: 'engine::traces::tree',
      description: 'The spans of one trace: none.',
      input: { struct: 'TracesTreeInput', fields: { trace_id: 'string' } },
      handle: () => objectText({ roots: '[]', ...archive }),
    }),
    builtin(workerName, {
      id: 'engine::traces::group_by',
      description: 'The spans by an attribute: none.',
      input: {
        struct: 'TracesGroupByInput',
        fields: {
          attribute: 'string',
          since_ms: 'u64?',
          limit: 'u32?',
          include_internal: 'boolean?',
          label_attribute: 'string?',
        },
      },
      handle: () => objectText({ groups: '[]', ...archive }),
    }),
    builtin(workerName, {
      id: 'engine::traces::clear',
      description: 'Forgets the spans that are kept.',
      input: { struct: 'TracesClearInput', fields: {} },
      handle: () => '{"success":true}',
    }),
  ]
}

const NO_TIME = Object.fromEntries(
  ['avg', 'max', 'min', 'p50', 'p95', 'p99'].map((name) => [`${name}_duration_ms`, '0.0']),
)

const NO_TIMES = { start_time: undefined, end_time: undefined, aggregate_interval: undefined }

function metricBuiltins({ counters, workers }: Bus, workerName: string): EngineFunction[] {
  const query = { start_time: 'u64?', end_time: 'u64?', metric_name: 'string?' } as const
  const invocations = () => {
    const { success, error, deferred } = counters.calls
    const byFunction = [...counters.byFunction].map(([id, count]) => [id, String(count)])
    return objectText({
      by_function: objectText(Object.fromEntries(byFunction)),
      deferred: String(deferred),
      error: String(error),
      success: String(success),
      total: String(success + error + deferred),
    })
  }
  return [
    builtin(workerName, {
      id: 'engine::metrics::list',
      description: 'How many calls and workers there were.',
      input: { struct: 'MetricsListInput', fields: { ...query, aggregate_interval: 'u64?' }, whole: true },
      handle({ metric_name, ...times }) {
        const { start_time, end_time, aggregate_interval = 0 } = times
        if (start_time !== undefined && end_time !== undefined) {
          requireNanos({ start_time, end_time })
          requireNanos({ aggregate_interval: aggregate_interval * 1000 })
        }
        const isTimed = Object.values(times).some((time) => time !== undefined)
        return objectText({
          engine_metrics: objectText({
            invocations: invocations(),
            performance: objectText(NO_TIME),
            workers: objectText({
              active: String(workers.list().length),
              deaths: String(counters.workers.deaths),
              spawns: String(counters.workers.spawns),
            }),
          }),
          query: isTimed ? formatQuery({ ...NO_TIMES, ...times, metric_name }) : undefined,
          sdk_metrics: '[]',
          timestamp: now(),
        })
      },
    }),
    builtin(workerName, {
      id: 'engine::rollups::list',
      description: 'Metrics by the minute, five minutes or hour: none.',
      input: { struct: 'RollupsListInput', fields: { ...query, level: 'usize?' }, whole: true },
      handle({ level = 0, ...asked }) {
        requireNanos({ end_time: asked.end_time, start_time: asked.start_time })
        return objectText({
          histogram_rollups: '[]',
          level: String(level),
          query: formatQuery({
            end_time: asked.end_time,
            metric_name: asked.metric_name,
            start_time: asked.start_time,
          }),
          rollups: '[]',
          timestamp: now(),
        })
      },
    }),
  ]
}

/** Milliseconds that are no 64 bits of nanoseconds. @throws EngineError that names the first of them. */
function requireNanos(times: Readonly<Record<string, number | undefined>>): void {
  const [name] = Object.entries(times).find(([, time = 0]) => time * 1e6 >= 2 ** 64) ?? []
  if (name !== undefined) throw new EngineError('time_value_overflow', `${name} value too large`)
}

function alertBuiltins(workerName: string): EngineFunction[] {
  return [
    builtin(workerName, {
      id: 'engine::alerts::list',
      description: 'The alert rules and what they say: there are none.',
      input: { struct: 'AlertsListInput', fields: {} },
      handle: () => objectText({ alerts: '[]', firing_count: '0', rules: '[]', timestamp: now() }),
    }),
    builtin(workerName, {
      id: 'engine::alerts::evaluate',
      description: 'Holds the metrics against the alert rules.',
      input: { struct: 'AlertsEvaluateInput', fields: {} },
      handle: () => objectText({ evaluated: 'true', timestamp: now(), triggered_alerts: '[]' }),
    }),
  ]
}

/** They are about the baggage that a call comes with. */
function baggageBuiltins(workerName: string): EngineFunction[] {
  return [
    builtin(workerName, {
      id: 'engine::baggage::get',
      description: 'An entry of the baggage of the call.',
      input: { struct: 'BaggageGetInput', fields: { key: 'string' } },
      handle: ({ key }, { trace }) =>
        objectText({ value: quoteMaybe(parseBaggage(trace.baggage ?? '').get(key)?.value) ?? 'null' }),
    }),
    builtin(workerName, {
      id: 'engine::baggage::get_all',
      description: 'The baggage of the call.',
      input: { struct: 'BaggageGetAllInput', fields: {} },
      handle: (_input, { trace }) => {
        const values = [...parseBaggage(trace.baggage ?? '')].map(([name, { value }]) => [name, quote(value)] as const)
        return objectText({ baggage: formatObject(new Map(values)) })
      },
    }),
    builtin(workerName, {
      id: 'engine::baggage::set',
      description: 'Puts an entry into a context that is thrown away at once.',
      input: { struct: 'BaggageSetInput', fields: { key: 'string', value: 'string' } },
      handle: () =>
        objectText({
          note: quote('Baggage set in new context. For propagation, use SDK-level baggage headers.'),
          success: 'true',
        }),
    }),
  ]
}

function now(): string {
  return String(Date.now())
}
