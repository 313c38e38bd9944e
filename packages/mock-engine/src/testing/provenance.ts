import type { Frame } from '../wire/frames.ts'

/**
 * Where something comes from that this engine does: a trace, recorded or measured, by its name, or a section of what was
 * read in the engine's source (`contract`) or seen on the running engine (`measured`), or what was seen there beside those (`seen`).
 */
export type Source = string | { readonly contract: string } | { readonly measured: string } | { readonly seen: string }

type Sources = readonly [Source, ...Source[]]

const contract = (section: string) => ({ contract: section })
const measured = (section: string) => ({ measured: section })
const seen = (what: string) => ({ seen: what })

const OBSERVABILITY: Sources = ['observability-functions', contract('7.5')]
const LOGS: Sources = ['logs-list', contract('7.5')]
const CONFIG_CHANGE: Sources = ['functions-of-config-change', contract('10.2')]

/** What a worker may send. */
export const FRAMES_IN: Readonly<Record<Frame['type'], Sources>> = {
  ping: ['bus-hello-and-ping'],
  pong: ['frames-without-effect', contract('1.2')],
  registerservice: ['frames-without-effect', contract('1.2')],
  reattach: ['reattach', 'reattach-refused', 'poisoned-connection-replaced'],
  registerfunction: ['registry-reregister', 'reregister-in-flight', 'last-writer-wins-function'],
  unregisterfunction: ['unregister-function', 'unregister-by-stranger'],
  registertriggertype: ['trigger-type-register-fire-unregister', 'trigger-type-reregistered'],
  registertrigger: ['trigger-before-type', 'trigger-same-id-replaces'],
  unregistertrigger: ['trigger-unregistered-by-stranger'],
  triggerregistrationresult: ['trigger-type-rejects-binding', 'trigger-verdict-from-stranger'],
  invokefunction: ['invoke-result', 'invoke-void', 'enqueue-with-provider'],
  invocationresult: ['invoke-error', 'result-from-anyone', 'result-unknown-or-twice'],
}

/** What the engine sends to workers. */
export const FRAMES_OUT: Readonly<Record<string, Sources>> = {
  workerregistered: ['rbac-filter', contract('1.4')],
  pong: ['bus-hello-and-ping', 'frames-binary'],
  error: ['rbac-auth', 'rbac-auth-results'],
  registrationrejected: ['name-conflict-refused', 'function-first-wins', 'namespace-builtins-live-in-default'],
  invokefunction: ['invoke-result', 'invoke-trace-context', 'traces-of-events'],
  invocationresult: ['invoke-result', 'invoke-falsy-results', 'invoke-null-result'],
  registertrigger: ['trigger-type-register-fire-unregister', 'trigger-provider-restart'],
  unregistertrigger: ['trigger-type-register-fire-unregister', 'trigger-subscriber-leaves'],
  triggerregistrationresult: ['trigger-type-rejects-binding', 'trigger-builtin-bad-config'],
}

/** The functions of the engine itself. */
export const FUNCTION_SOURCES: Readonly<Record<string, Sources>> = {
  'configuration::get': ['configuration-get', 'configuration-life', 'configuration-placeholders'],
  'configuration::list': ['configuration-life'],
  'configuration::register': ['configuration-life', 'configuration-trigger'],
  'configuration::schema': ['configuration-life'],
  'configuration::set': ['configuration-schemas', 'configuration-of-http'],
  'engine::alerts::evaluate': OBSERVABILITY,
  'engine::alerts::list': OBSERVABILITY,
  'engine::baggage::get': OBSERVABILITY,
  'engine::baggage::get_all': OBSERVABILITY,
  'engine::baggage::set': OBSERVABILITY,
  'engine::channels::create': ['channel-pipe', 'channel-input'],
  'engine::functions::info': ['registry-info', 'registry-info-batch', 'registry-builtin-schema'],
  'engine::functions::list': ['registry-list', 'registry-list-builtins', 'functions-search'],
  'engine::health::check': ['engine-log-and-health', 'observability-functions'],
  'engine::log::debug': LOGS,
  'engine::log::error': LOGS,
  'engine::log::info': ['engine-log-and-health', 'logs-list'],
  'engine::log::trace': LOGS,
  'engine::log::warn': LOGS,
  'engine::logs::clear': LOGS,
  'engine::logs::list': ['logs-of-sdks', ...LOGS],
  'engine::metrics::list': ['metrics-counts', 'observability-functions'],
  'engine::queue::dlq_messages': ['durable-retry', 'queue-dead-letters', 'queue-introspection'],
  'engine::queue::dlq_topics': ['queue-introspection', 'queue-dead-letters'],
  'engine::queue::list_topics': ['queue-introspection'],
  'engine::queue::topic_stats': ['durable-retry', 'queue-introspection'],
  'engine::register_trigger': ['trigger-function-path', 'http-ownerless-route', 'trigger-verdict-from-stranger'],
  'engine::registered-triggers::info': ['triggers-introspection'],
  'engine::registered-triggers::list': ['triggers-introspection', 'trigger-before-type'],
  'engine::rollups::list': OBSERVABILITY,
  'engine::sampling::rules': OBSERVABILITY,
  'engine::traces::clear': OBSERVABILITY,
  'engine::traces::group_by': OBSERVABILITY,
  'engine::traces::list': OBSERVABILITY,
  'engine::traces::tree': OBSERVABILITY,
  'engine::triggers::info': ['triggers-introspection', 'trigger-type-http-taken'],
  'engine::triggers::list': ['triggers-introspection'],
  'engine::unregister_trigger': ['trigger-function-path', 'http-ownerless-route'],
  'engine::workers::info': ['workers-register-and-list', 'workers-in-process'],
  'engine::workers::list': ['workers-register-and-list', 'workers-in-process', 'workers-active-invocations'],
  'engine::workers::register': ['workers-register-and-list', 'workers-register-void'],
  'iii-cron::on-config-change': CONFIG_CHANGE,
  'iii-http::on-config-change': ['configuration-of-http', 'functions-of-config-change'],
  'iii-observability::on-config-change': CONFIG_CHANGE,
  'iii-pubsub::on-config-change': CONFIG_CHANGE,
  'iii-queue::on-config-change': CONFIG_CHANGE,
  'iii-state::on-config-change': CONFIG_CHANGE,
  'iii::durable::publish': ['durable-publish', 'durable-retry', 'queue-concurrency'],
  'iii::queue::discard_message': ['queue-dead-letters', 'queue-introspection'],
  'iii::queue::redrive': ['queue-dead-letters', 'queue-introspection'],
  'iii::queue::redrive_message': ['queue-dead-letters', 'queue-introspection'],
  publish: ['pubsub', 'pubsub-sibling-bug'],
  'state::delete': ['state-set-get-delete-list', 'state-null-and-missing'],
  'state::get': ['state-set-get-delete-list', 'state-errors'],
  'state::list': ['state-set-get-delete-list'],
  'state::list_groups': ['state-list-groups'],
  'state::set': ['state-set-get-delete-list', 'state-errors'],
  'state::update': ['state-update', 'state-trigger'],
}

/** Those that only engine 0.23 has. */
export const FUNCTIONS_OF_23: Readonly<Record<string, Sources>> = {
  'iii-observability::ui-content': ['console-page'],
}

/** The trigger types of the engine itself. */
export const TRIGGER_TYPES: Readonly<Record<string, Sources>> = {
  configuration: ['configuration-trigger', 'trigger-configs'],
  cron: ['cron', 'trigger-builtin-bad-config'],
  'durable:subscriber': ['durable-publish', 'durable-retry', 'queue-in-order', 'queue-condition'],
  'engine::functions-available': ['functions-available', measured('f')],
  'engine::workers-available': ['workers-available', 'workers-available-own'],
  http: ['http-post-json', 'http-condition', 'http-middleware', 'trigger-type-http-taken'],
  log: ['logs-of-sdks', 'trigger-configs', contract('7.1')],
  state: ['state-trigger', 'state-trigger-key-and-condition', 'trigger-type-state-taken'],
  subscribe: ['pubsub', 'pubsub-sibling-bug'],
  trace: ['trigger-configs', contract('7.1')],
}

/** The parts of the engine that are listed as workers. */
export const WORKERS: Readonly<Record<string, Sources>> = Object.fromEntries(
  [
    'configuration',
    'iii-cron',
    'iii-engine-functions',
    'iii-http',
    'iii-observability',
    'iii-pubsub',
    'iii-queue',
    'iii-state',
    'iii-telemetry',
    'iii-worker-manager',
  ].map((name) => [name, ['workers-in-process', contract('10.1')]] as const),
)

/** The ids under which settings are stored from the start. */
export const CONFIGURATIONS: Readonly<Record<string, Sources>> = Object.fromEntries(
  ['iii-cron', 'iii-http', 'iii-observability', 'iii-queue', 'iii-state'].map(
    (id) => [id, ['configuration-life', contract('10.2')]] as const,
  ),
)

/** The codes of errors. */
export const ERROR_CODES: Readonly<Record<string, Sources>> = {
  AUTH_ERROR: ['rbac-auth', 'rbac-auth-results'],
  CONDITION_NOT_MET: ['http-condition'],
  EXPAND_FAILED: ['configuration-placeholders'],
  FORBIDDEN: ['rbac-filter', 'rbac-middleware', 'rbac-namespaces'],
  FUNCTION_NAMESPACE_CONFLICT: ['function-first-wins', 'builtin-shadowed-in-default'],
  INTERNAL_ERROR: [contract('1.10')],
  INVALID_ARGUMENTS: ['registry-info-batch'],
  INVALID_ID: ['configuration-life'],
  INVALID_NAMESPACE: ['blank-and-odd-namespaces', 'namespace-invoke-strict'],
  INVALID_UI_ASSET: ['console-page'],
  NOT_FOUND: ['http-not-found', 'triggers-introspection', 'configuration-get'],
  NOT_REGISTERED: ['configuration-life'],
  SCHEMA_INVALID: ['configuration-schemas'],
  SCHEMA_UNAVAILABLE: ['configuration-life'],
  UNKNOWN_UI_ASSET: ['console-page'],
  WORKER_NAMESPACE_CONFLICT: ['name-conflict-refused', 'name-spellings'],
  channel_send_failed: ['poisoned-connection-cut'],
  deserialization_error: ['state-errors', 'channel-input'],
  enqueue_error: ['enqueue-without-provider', 'enqueue-with-provider'],
  function_not_found: ['invoke-not-found'],
  invocation_error: ['invoke-duplicate-id'],
  invocation_stopped: ['callee-disconnects'],
  message_id_not_set: ['queue-introspection'],
  queue_not_set: ['queue-introspection'],
  serialization_error: [contract('1.10')],
  time_value_overflow: [contract('1.10')],
  topic_not_set: ['pubsub', 'durable-publish'],
  topic_required: ['queue-introspection'],
  trigger_registration_failed: ['trigger-builtin-bad-config', 'http-route-conflict'],
}

/** The statuses the HTTP port sends by itself. */
export const HTTP_STATUSES: Readonly<Record<string, Sources>> = {
  200: ['http-cors-default', 'http-heads'],
  400: ['http-heads'],
  404: ['http-not-found'],
  405: ['http-methods-on-one-path', 'http-heads'],
  414: [seen('0.22.1 and 0.23.0-rc.4: a target of more than 65 534 bytes gets 414 and `connection: close`')],
  422: ['http-condition'],
  431: ['http-heads', measured('b')],
  500: ['http-handler-errors', 'http-heads'],
  504: ['timeout-504', 'timeout-504-null-result'],
}

/** The headers the HTTP port adds to responses. */
export const HTTP_HEADERS: Readonly<Record<string, Sources>> = {
  'access-control-allow-headers': ['http-cors-default', 'cors-configured'],
  'access-control-allow-methods': ['http-cors-default', 'cors-configured'],
  'access-control-allow-origin': ['http-cors-default', 'cors-configured'],
  'access-control-expose-headers': ['http-cors-default', 'cors-configured'],
  allow: ['http-methods-on-one-path', 'http-heads'],
  'content-length': ['http-heads'],
  'content-type': ['http-return-content-types'],
  vary: ['http-heads'],
}

/** The statuses that an upgrade on a bus port is refused with. */
export const UPGRADE_STATUSES: Readonly<Record<string, Sources>> = {
  400: ['channel-refusals'],
  404: ['bus-other-paths', 'channel-refusals'],
  405: [
    seen(
      '0.22.1: methods other than GET and HEAD on `/`, `/otel` and `/ws/channels/ID` get 405 with `allow: GET,HEAD`',
    ),
  ],
}
