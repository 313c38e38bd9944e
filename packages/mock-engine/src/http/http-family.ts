import { builtin, builtinType, type Family } from '../builtins/define.ts'
import type { Trigger } from '../bus/triggers.ts'
import { EngineError } from '../engine-error.ts'
import { toMembers, toStringValue } from '../json/build.ts'
import { HTTP_CONFIG_SCHEMA, HTTP_REQUEST_SCHEMA, HTTP_RESPONSE_SCHEMA } from './http-schemas.ts'
import { toStrings } from './http-settings.ts'
import type { Routes } from './routes.ts'

const WORKER = 'iii-http'

/** The trigger type `http`. */
export function httpFamily(routes: Routes): Family {
  return {
    workerName: WORKER,
    description: 'Functions as HTTP endpoints.',
    functions: [
      builtin(WORKER, {
        id: `${WORKER}::on-config-change`,
        description: 'Takes a change of the stored configuration of the HTTP port.',
        metadata: '{"internal":true}',
        input: { struct: 'ConfigurationEvent', fields: {} },
        handle: () => undefined,
      }),
    ],
    types: [
      builtinType(WORKER, {
        id: 'http',
        description: 'HTTP API trigger',
        configSchema: HTTP_CONFIG_SCHEMA,
        requestSchema: HTTP_REQUEST_SCHEMA,
        responseSchema: HTTP_RESPONSE_SCHEMA,
        register: (trigger) => routes.add(toRoute(trigger)),
        unregister(trigger) {
          const { method, apiPath } = toRoute(trigger)
          routes.remove(method, apiPath, trigger.id)
        },
      }),
    ],
  }
}

function toRoute(trigger: Trigger): Parameters<Routes['add']>[0] {
  const members = toMembers(trigger.config)
  const apiPath = toStringValue(members?.get('api_path'))
  if (apiPath === undefined) {
    throw new EngineError('trigger_registration_failed', 'api_path is required for http triggers')
  }
  return {
    triggerId: trigger.id,
    functionId: trigger.functionId,
    metadata: trigger.metadata,
    apiPath,
    method: (toStringValue(members?.get('http_method')) ?? 'GET').toUpperCase(),
    conditionId: toStringValue(members?.get('condition_function_id')),
    middlewareIds: toStrings(members?.get('middleware_function_ids')),
  }
}
