import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { decode, type InputOf, type InputShape, type Kind } from '../builtins/input.ts'
import type { Bus } from '../bus/bus.ts'
import type { ListenerSession } from '../bus/workers.ts'
import { compareBytes, type JsonText } from '../json/json-text.ts'
import { type CallTarget, covers, matchesGrant } from './expose.ts'
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
    namespaces: 'grants=',
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
export function createSession(
  { functions, generation }: Bus,
  listener: RestrictedListener,
  answer: JsonText,
): ListenerSession {
  const { namespaces, ...others } = GRANT.fields
  const grant = decode({ ...GRANT, fields: { ...generation.newer({ namespaces }), ...others } }, answer)
  const { onFunctionRegistrationId, onTriggerRegistrationId, onTriggerTypeRegistrationId } = listener
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
    refuseNamespace: (namespace) => refuseNamespace(grant.namespaces, namespace),
    refuseCall: (id, namespace) =>
      refuseCall(grant, listener, { id, namespace, metadata: functions.get(id, namespace)?.metadata }),
  }
}

/** What of the answer says which functions may be called. */
type Grant = Pick<InputOf<typeof GRANT.fields>, 'namespaces' | 'allowed_functions' | 'forbidden_functions'>

function refuseCall(grant: Grant, { expose = [] }: RestrictedListener, target: CallTarget): string | undefined {
  const { id, namespace } = target
  if (grant.forbidden_functions?.includes(id)) {
    return `function '${id}' not allowed (remove from rbac.forbidden_functions)`
  }
  const granted =
    INFRASTRUCTURE.has(id) ||
    grant.namespaces?.get(namespace)?.some((pattern) => matchesGrant(pattern, id)) ||
    (namespace === DEFAULT_NAMESPACE && grant.allowed_functions?.includes(id))
  if (granted || expose.some((rule) => covers(rule, target))) return undefined
  return `function '${id}' not allowed (add to rbac.expose_functions)`
}

/** A connection that was granted something in namespaces registers in one of those. */
function refuseNamespace(namespaces: Grant['namespaces'], namespace: string): string | undefined {
  if (!namespaces || namespaces.size === 0 || namespaces.has(namespace)) return undefined
  const permitted = [...namespaces.keys()].sort(compareBytes).join(', ')
  return `namespace '${namespace}' not allowed for this session (permitted: ${permitted})`
}
