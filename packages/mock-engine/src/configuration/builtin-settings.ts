import { toText } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { ConfigurationStore } from './configuration-store.ts'
import {
  CRON_SETTINGS,
  HTTP_SETTINGS,
  OBSERVABILITY_SETTINGS,
  QUEUE_SETTINGS,
  STATE_SETTINGS,
} from './settings-schemas.ts'

/** Where the settings of the parts of this engine come from. */
export interface BuiltinSettings {
  readonly http: () => JsonText
  /** The folder that state is kept in. */
  readonly dataDir: string | undefined
}

/** Declares the settings of the parts of the engine. Those of the HTTP port take effect when they change, no others. */
export function declareBuiltinSettings(store: ConfigurationStore, { http, dataDir }: BuiltinSettings): void {
  const fixed = (value: object) => () => toText(value)
  const state =
    dataDir === undefined ? { store_method: 'in_memory' } : { store_method: 'file_based', file_path: dataDir }
  store.declare({ id: 'iii-cron', name: 'Cron', description: 'The clock.', schema: CRON_SETTINGS }, fixed({}))
  store.declare(
    {
      id: 'iii-http',
      name: 'HTTP',
      description: 'The HTTP port: time limit, cross-origin rules, middleware.',
      schema: HTTP_SETTINGS,
    },
    http,
  )
  store.declare(
    {
      id: 'iii-observability',
      name: 'Observability',
      description: 'Logs, traces and metrics.',
      schema: OBSERVABILITY_SETTINGS,
    },
    fixed({ enabled: true, exporter: 'otlp', logs_console_output: false, logs_sampling_ratio: 1 }),
  )
  store.declare(
    { id: 'iii-queue', name: 'Queue', description: 'The queues.', schema: QUEUE_SETTINGS },
    fixed({
      queue_configs: {
        default: {
          backoff_ms: 1000,
          concurrency: 10,
          max_retries: 3,
          message_group_field: null,
          poll_interval_ms: 100,
          type: 'standard',
        },
      },
    }),
  )
  store.declare(
    { id: 'iii-state', name: 'State', description: 'Where state is kept.', schema: STATE_SETTINGS },
    fixed({ adapter: { name: 'kv', config: state } }),
  )
}
