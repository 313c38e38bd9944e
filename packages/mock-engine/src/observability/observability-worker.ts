import { builtin, builtinType } from '../builtins/define.ts'
import { toObjectSchema } from '../builtins/result-schemas.ts'
import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import type { Bus } from '../bus/bus.ts'
import { objectText, quote } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { consolePage } from './console-page.ts'
import { type LogLine, logBuiltins } from './log-functions.ts'
import type { LogStore } from './log-store.ts'
import { telemetryBuiltins } from './telemetry-functions.ts'

const WORKER = 'iii-observability'

/** Log lines of workers, a health check, and everything about traces and metrics. */
export function observabilityWorker(bus: Bus, store: LogStore, log: (line: LogLine) => void): BuiltinWorker {
  const logs = logBuiltins(bus, WORKER, store, log)
  return {
    workerName: WORKER,
    description: 'Log lines of workers, counters, and a health check.',
    internal: true,
    types: [logs.type, traceType()],
    functions: [
      ...logs.functions,
      ...telemetryBuiltins(bus, WORKER),
      healthBuiltin(store, bus.generation.version),
      ...Object.values(bus.generation.newer({ page: consolePage(WORKER) })),
    ],
  }
}

/** Fires for the spans that are kept, and none are. */
function traceType() {
  return builtinType(WORKER, {
    id: 'trace',
    description: 'Trace/span event trigger',
    configSchema: toObjectSchema('service_name?:string|null status?:string|null'),
    requestSchema: toObjectSchema('trace_ids:array'),
  })
}

function healthBuiltin(logs: LogStore, version: string) {
  return builtin(WORKER, {
    id: 'engine::health::check',
    description: 'Whether the engine is up: it always is when it answers.',
    input: { struct: 'HealthCheckInput', fields: {} },
    handle: () =>
      objectText({
        status: '"healthy"',
        version: quote(version),
        timestamp: String(Date.now()),
        components: objectText({
          logs: healthy({ stored_logs: String(logs.size) }),
          metrics: healthy({ stored_metrics: '0' }),
          otel: healthy({ enabled: 'true', exporter: '"Some(Otlp)"', service_name: 'null' }),
          spans: healthy({ stored_spans: '0' }),
        }),
      }),
  })
}

function healthy(details: Readonly<Record<string, JsonText>>): JsonText {
  return objectText({ status: '"healthy"', details: objectText(details) })
}
