import type { NamesOf } from '../suggestions/mistyped.ts'
import type { ChannelRef } from '../wire/channel.ts'

/** A function that is asked first: where it answers `false` or fails, the other one is not called. */
interface Conditional {
  condition_function_id?: string | undefined
}

/** In large or small letters; any other is refused when it is registered. */
type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS' | (string & {})

export interface HttpTriggerConfig extends Conditional {
  /** `/orders/:id`: segments of letters, digits and `. _ ~ -`, or parameters. */
  api_path: string
  /** @default 'GET' */
  http_method?: HttpMethod | undefined
  /** Functions that may answer in the place of this one. */
  middleware_function_ids?: readonly string[] | undefined
}

export interface CronTriggerConfig extends Conditional {
  /** Six fields, or seven with a year, in UTC: second, minute, hour, day of month, month, day of week, where 1 or `SUN` is Sunday. */
  expression: string
}

export interface QueueTriggerConfig extends Conditional {
  topic: string
  queue_config?: Record<string, unknown> | undefined
}

export interface StateTriggerConfig extends Conditional {
  /** @default every scope */
  scope?: string | undefined
  /** @default every key */
  key?: string | undefined
}

export interface StreamTriggerConfig extends Conditional {
  stream_name: string
  group_id?: string | undefined
  item_id?: string | undefined
}

export interface ConfigurationTriggerConfig extends Conditional {
  configuration_id?: string | undefined
  event_types?: readonly string[] | undefined
}

/** What the engine's own types of triggers are configured with. */
export interface TriggerConfigs {
  http: HttpTriggerConfig
  cron: CronTriggerConfig
  'durable:subscriber': QueueTriggerConfig
  subscribe: { topic: string }
  state: StateTriggerConfig
  stream: StreamTriggerConfig
  'stream:join': StreamTriggerConfig
  'stream:leave': StreamTriggerConfig
  configuration: ConfigurationTriggerConfig
  log: { level?: 'all' | 'debug' | 'info' | 'warn' | 'error' | undefined }
  trace: { service_name?: string | undefined; status?: string | undefined }
  'engine::functions-available': Record<string, never>
  'engine::workers-available': Record<string, never>
}

/** What a type of triggers is configured with; of those that workers provide only they know. */
export type TriggerConfigOf<Type extends string> = Type extends keyof TriggerConfigs ? TriggerConfigs[Type] : unknown

const CONDITION: NamesOf<Conditional> = { condition_function_id: true }
const STREAM: NamesOf<StreamTriggerConfig> = { ...CONDITION, stream_name: true, group_id: true, item_id: true }

export const TRIGGER_CONFIG_NAMES: { readonly [Type in keyof TriggerConfigs]: NamesOf<TriggerConfigs[Type]> } = {
  http: { ...CONDITION, api_path: true, http_method: true, middleware_function_ids: true },
  cron: { ...CONDITION, expression: true },
  'durable:subscriber': { ...CONDITION, topic: true, queue_config: true },
  subscribe: { topic: true },
  state: { ...CONDITION, scope: true, key: true },
  stream: STREAM,
  'stream:join': STREAM,
  'stream:leave': STREAM,
  configuration: { ...CONDITION, configuration_id: true, event_types: true },
  log: { level: true },
  trace: { service_name: true, status: true },
  'engine::functions-available': {},
  'engine::workers-available': {},
}

export function isBuiltInType(type: string): type is keyof TriggerConfigs {
  return Object.hasOwn(TRIGGER_CONFIG_NAMES, type)
}

/** The payload of a function that an `http` trigger calls. */
export interface HttpRequest<Body = unknown> {
  method: string
  /** As it was registered: `/orders/:id`. */
  path: string
  /** Still percent-encoded. */
  path_params: Record<string, string>
  /** Decoded; of several values of one name the last. */
  query_params: Record<string, string>
  /** By their names in small letters. */
  headers: Record<string, string>
  /** The body where its type is `application/json`; null for any other, for none and for malformed JSON. */
  body: Body | null
  /** The bytes of the body: `worker.openChannelReader(request.request_body)`. */
  request_body: ChannelRef
  /** Where a response can be streamed to: `worker.openChannelWriter(request.response)`. */
  response: ChannelRef
}

/** What such a function returns. */
export interface HttpResponse {
  /** @default 200 */
  status_code?: number | undefined
  headers?: Record<string, string> | undefined
  /** JSON, unless `headers` have a `content-type`: then a string is sent as it is, and `null` is no body. @default {} */
  body?: unknown
}
