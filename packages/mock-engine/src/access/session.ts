import { decode, type InputShape, type Kind } from '../builtins/input.ts'
import type { Functions } from '../bus/functions.ts'
import type { Session } from '../bus/workers.ts'
import type { JsonText } from '../json/json-text.ts'
import { covers } from './expose.ts'
import type { RestrictedListener } from './restricted-listener.ts'

/** Ids that every worker may call, since a worker cannot do without them. */
const INFRASTRUCTURE: ReadonlySet<string> = new Set([
  'engine::channels::create',
  'engine::workers::register',
  ...['info', 'warn', 'error', 'debug', 'trace'].map((level) => `engine::log::${level}`),
  ...['get', 'set', 'get_all'].map((name) => `engine::baggage::${name}`),
])

/** What the auth function answers. */
const GRANT = {
  struct: 'AuthResult',
  fields: {
    allowed_functions: 'strings=',
    forbidden_functions: 'strings=',
    allowed_trigger_types: 'strings?',
    allow_trigger_type_registration: 'boolean=',
    allow_function_registration: 'boolean=',
    context: 'json?',
    function_registration_prefix: 'string?',
  },
} as const satisfies InputShape<Record<string, Kind>>

/**
 * Turns what the auth function answered into the rights of a connection.
 *
 * @throws Mismatch when the answer cannot be read.
 */
export function createSession(functions: Functions, listener: RestrictedListener, answer: JsonText): Session {
  const grant = decode(GRANT, answer)
  const { expose = [], onFunctionRegistrationId, onTriggerRegistrationId, onTriggerTypeRegistrationId } = listener
  const prefix = grant.function_registration_prefix
  return {
    mayRegisterFunctions: grant.allow_function_registration ?? true,
    mayRegisterTriggerTypes: grant.allow_trigger_type_registration ?? false,
    prefix: prefix === undefined ? '' : `${prefix}::`,
    context: grant.context ?? '{}',
    middlewareId: listener.middlewareFunctionId,
    hooks: {
      ...(onFunctionRegistrationId !== undefined && { function: onFunctionRegistrationId }),
      ...(onTriggerRegistrationId !== undefined && { trigger: onTriggerRegistrationId }),
      ...(onTriggerTypeRegistrationId !== undefined && { triggerType: onTriggerTypeRegistrationId }),
    },
    allowsTriggerType: (id) => grant.allowed_trigger_types?.includes(id) ?? true,
    refuseCall(functionId) {
      if (grant.forbidden_functions?.includes(functionId)) {
        return `function '${functionId}' not allowed (remove from rbac.forbidden_functions)`
      }
      if (grant.allowed_functions?.includes(functionId) || INFRASTRUCTURE.has(functionId)) return undefined
      const metadata = functions.get(functionId)?.metadata
      if (expose.some((rule) => covers(rule, functionId, metadata))) return undefined
      return `function '${functionId}' not allowed (add to rbac.expose_functions)`
    },
  }
}
