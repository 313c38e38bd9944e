import type { Functions } from '../bus/functions.ts'
import type { Session } from '../bus/workers.ts'
import { toItems, toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { covers, type ExposeRule } from './expose.ts'

/** Ids that every worker may call, since a worker cannot do without them. */
const INFRASTRUCTURE: ReadonlySet<string> = new Set([
  'engine::channels::create',
  'engine::workers::register',
  ...['info', 'warn', 'error', 'debug', 'trace'].map((level) => `engine::log::${level}`),
  ...['get', 'set', 'get_all'].map((name) => `engine::baggage::${name}`),
])

/** Turns what the auth function answered into the rights of a connection. */
export function createSession(functions: Functions, expose: readonly ExposeRule[], grant: JsonText): Session {
  const members = toMembers(grant)
  const strings = (name: string) => {
    const items = toItems(members?.get(name) ?? 'null')
    return items && new Set(items.flatMap((item) => toStringValue(item) ?? []))
  }
  const allowed = strings('allowed_functions')
  const forbidden = strings('forbidden_functions')
  const types = strings('allowed_trigger_types')
  return {
    mayRegisterFunctions: members?.get('allow_function_registration') !== 'false',
    mayRegisterTriggerTypes: members?.get('allow_trigger_type_registration') === 'true',
    prefix: toPrefix(toStringValue(members?.get('function_registration_prefix'))),
    allowsTriggerType: (id) => types?.has(id) ?? true,
    refuseCall(functionId) {
      if (forbidden?.has(functionId)) {
        return `function '${functionId}' not allowed (remove from rbac.forbidden_functions)`
      }
      if (allowed?.has(functionId) || INFRASTRUCTURE.has(functionId)) return undefined
      const metadata = functions.get(functionId)?.metadata
      if (expose.some((rule) => covers(rule, functionId, metadata))) return undefined
      return `function '${functionId}' not allowed (add to rbac.expose_functions)`
    },
  }
}

function toPrefix(prefix: string | undefined): string {
  return prefix ? `${prefix}::` : ''
}
