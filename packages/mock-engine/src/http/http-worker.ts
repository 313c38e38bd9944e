import { builtinType } from '../builtins/define.ts'
import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import type { Trigger } from '../bus/trigger.ts'
import { toMembers, toStringValue } from '../json/build.ts'
import { EngineError } from '../wire/engine-error.ts'
import { HTTP_CONFIG_SCHEMA, HTTP_REQUEST_SCHEMA, HTTP_RESPONSE_SCHEMA } from './http-schemas.ts'
import { toStrings } from './http-settings.ts'
import type { HttpRoute, HttpRoutes } from './routes.ts'

const WORKER = 'iii-http'

/** The trigger type `http`. */
export function httpWorker(routes: HttpRoutes): BuiltinWorker {
  return {
    workerName: WORKER,
    description: 'Functions as HTTP endpoints.',
    internal: false,
    functions: [],
    types: [
      builtinType(WORKER, {
        id: 'http',
        description: 'HTTP API trigger',
        configSchema: HTTP_CONFIG_SCHEMA,
        requestSchema: HTTP_REQUEST_SCHEMA,
        responseSchema: HTTP_RESPONSE_SCHEMA,
        register: (trigger) => routes.add(toRoute(trigger)),
        unregister: (trigger) => routes.remove(toRoute(trigger)),
      }),
    ],
  }
}

function toRoute(trigger: Trigger): HttpRoute {
  const members = toMembers(trigger.config)
  const apiPath = toStringValue(members?.get('api_path'))
  if (apiPath === undefined) {
    throw new EngineError('trigger_registration_failed', 'api_path is required for http triggers')
  }
  return {
    triggerId: trigger.id,
    ownerId: trigger.ownerId,
    functionId: trigger.functionId,
    namespace: trigger.namespace,
    metadata: trigger.metadata,
    apiPath,
    method: (toStringValue(members?.get('http_method')) ?? 'GET').toUpperCase(),
    conditionId: toStringValue(members?.get('condition_function_id')),
    middlewareIds: toStrings(members?.get('middleware_function_ids')),
  }
}
