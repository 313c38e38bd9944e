import { toText } from '../json/build.ts'

const object = (properties: Record<string, unknown>, more: object = {}) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
})
const maybe = (type: string, more: object = {}) => ({ type: [type, 'null'], ...more })
const text = maybe('string')
const flag = maybe('boolean')
const positive = maybe('integer', { minimum: 1 })
const saveEvery = maybe('integer', { minimum: 100, maximum: 3_600_000 })
const stored = {
  store_method: { enum: ['in_memory', 'file_based', null] },
  file_path: text,
  save_interval_ms: saveEvery,
}
const adapter = (kinds: Readonly<Record<string, Record<string, unknown>>>) => ({
  oneOf: Object.entries(kinds).map(([name, config]) =>
    object({ name: { enum: [name] }, config: object(config) }, { required: ['name'] }),
  ),
})

/** What the settings of the cron clock may look like. */
export const CRON_SETTINGS = toText(
  object({
    adapter: adapter({
      kv: { ...stored, lock_index: text, lock_ttl_ms: positive },
      redis: { redis_url: text },
    }),
  }),
)

/** The same for the HTTP port. */
export const HTTP_SETTINGS = toText(
  object({
    concurrency_request_limit: { type: 'integer', minimum: 1 },
    cors: {
      anyOf: [
        object({
          allowed_methods: { type: 'array', items: { type: 'string' } },
          allowed_origins: { type: 'array', items: { type: 'string' } },
        }),
        { type: 'null' },
      ],
    },
    default_timeout: { type: 'integer', minimum: 0 },
    host: { type: 'string' },
    middleware: {
      type: 'array',
      items: object(
        { function_id: { type: 'string' }, phase: { type: 'string' }, priority: { type: 'integer' } },
        { required: ['function_id'] },
      ),
    },
    port: { type: 'integer', minimum: 0 },
  }),
)

/** The same for the queues. */
export const QUEUE_SETTINGS = toText(
  object({
    adapter: adapter({
      builtin: stored,
      redis: { redis_url: text },
      bridge: { bridge_url: text },
      rabbitmq: {
        amqp_url: text,
        max_attempts: positive,
        prefetch_count: positive,
        priority_field: text,
        queue_mode: text,
      },
    }),
    queue_configs: {
      type: 'object',
      additionalProperties: object({
        backoff_ms: { type: 'integer', minimum: 0 },
        concurrency: { type: 'integer', minimum: 1 },
        max_priority: maybe('integer', { minimum: 1, maximum: 255 }),
        max_retries: { type: 'integer', minimum: 0 },
        message_group_field: text,
        poll_interval_ms: { type: 'integer', minimum: 0 },
        priority_field: text,
        type: { type: 'string' },
      }),
    },
  }),
)

/** The same for the state. */
export const STATE_SETTINGS = toText(
  object({
    adapter: adapter({ kv: stored, redis: { redis_url: text }, bridge: { bridge_url: text } }),
    max_value_bytes: positive,
    save_interval_ms: saveEvery,
    triggers_enabled: flag,
  }),
)

const ratio = { type: 'number', minimum: 0, maximum: 1 }
const exporter = (...kinds: string[]) => ({ enum: [...kinds, null] })

/** The same for logs, traces and metrics. */
export const OBSERVABILITY_SETTINGS = toText(
  object({
    ...Object.fromEntries(['enabled', 'live_spans', 'logs_enabled', 'metrics_enabled'].map((name) => [name, flag])),
    ...Object.fromEntries(
      ['endpoint', 'format', 'level', 'service_name', 'service_namespace', 'service_version'].map((name) => [
        name,
        text,
      ]),
    ),
    ...Object.fromEntries(
      [
        'logs_max_count',
        'logs_retention_seconds',
        'memory_max_spans',
        'metrics_max_count',
        'metrics_retention_seconds',
      ].map((name) => [name, positive]),
    ),
    alerts: { type: 'array' },
    collapse_spans: { type: 'array' },
    exporter: exporter('otlp', 'memory', 'both'),
    logs_batch_size: maybe('integer', { minimum: 1, maximum: 10_000 }),
    logs_console_output: { type: 'boolean' },
    logs_exporter: exporter('memory', 'otlp', 'both'),
    logs_flush_interval_ms: saveEvery,
    logs_sampling_ratio: ratio,
    metrics_exporter: exporter('memory', 'otlp'),
    sampling: maybe('object'),
    sampling_ratio: maybe('number', { minimum: 0, maximum: 1 }),
  }),
)
