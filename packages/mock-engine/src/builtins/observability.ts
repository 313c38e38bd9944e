import type { Bus } from '../bus/bus.ts'
import { objectText, quote, quoteMaybe, toMembers, toStringValue } from '../json/build.ts'
import { ENGINE_VERSION } from '../version.ts'
import { builtin, builtinType, type Family } from './define.ts'

const WORKER = 'iii-observability'
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const
type Level = (typeof LEVELS)[number]

/** A line that a worker logged through the engine, or, without a service, the engine itself. */
export interface LogLine {
  readonly level: Level
  readonly message: string
  readonly service: string | undefined
}

/** `engine::log::*`, `engine::health::check` and the trigger types `log` and `trace`. */
export function observabilityFamily(bus: Bus, log: (line: LogLine) => void): Family {
  return {
    workerName: WORKER,
    description: 'Log lines of workers, and a health check.',
    types: [
      builtinType(WORKER, { id: 'log', description: 'Log event trigger' }),
      builtinType(WORKER, { id: 'trace', description: 'Trace/span event trigger' }),
    ],
    functions: [...LEVELS.map((level) => logBuiltin(bus, level, log)), healthBuiltin()],
  }
}

function logBuiltin(bus: Bus, level: Level, log: (line: LogLine) => void) {
  return builtin(WORKER, {
    id: `engine::log::${level}`,
    description: `Takes a log line of level ${level}.`,
    input: {
      struct: 'OtelLogInput',
      fields: {
        message: 'string',
        data: 'json?',
        trace_id: 'string?',
        span_id: 'string?',
        service_name: 'string?',
      },
    },
    handle(input) {
      log({ level, message: input.message, service: input.service_name })
      announce(bus, level, input)
      return undefined
    },
  })
}

interface LogInput {
  readonly message: string
  readonly data: string | undefined
  readonly trace_id: string | undefined
  readonly span_id: string | undefined
  readonly service_name: string | undefined
}

function announce(bus: Bus, level: Level, input: LogInput): void {
  const event = objectText({
    level: quote(level),
    message: quote(input.message),
    data: input.data,
    trace_id: quoteMaybe(input.trace_id),
    span_id: quoteMaybe(input.span_id),
    service_name: quoteMaybe(input.service_name),
  })
  for (const trigger of bus.triggers.list()) {
    if (trigger.triggerType !== 'log') continue
    const wanted = toStringValue(toMembers(trigger.config)?.get('level')) ?? 'all'
    if (wanted === 'all' || wanted === level) bus.fire(trigger, event)
  }
}

function healthBuiltin() {
  return builtin(WORKER, {
    id: 'engine::health::check',
    description: 'Whether the engine is up: it always is when it answers.',
    input: { struct: 'HealthCheckInput', fields: {} },
    handle: () =>
      objectText({
        status: '"healthy"',
        version: quote(ENGINE_VERSION),
        timestamp: String(Date.now()),
        components: objectText(
          Object.fromEntries(['otel', 'metrics', 'logs', 'spans'].map((name) => [name, '{"status":"disabled"}'])),
        ),
      }),
  })
}
