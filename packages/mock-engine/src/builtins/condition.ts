import type { Bus } from '../bus/bus.ts'
import type { Trigger } from '../bus/trigger.ts'
import { toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { TraceContext } from '../wire/outgoing.ts'

/** Asks the condition function of a binding, if it names one: an error or an explicit `false` skips the event. */
export async function passes(
  bus: Bus,
  { config, namespace }: Trigger,
  event: JsonText,
  trace: TraceContext,
): Promise<boolean> {
  const functionId = conditionOf(config)
  if (functionId === undefined) return true
  const { result, error } = await bus.calls.ask({ functionId, namespace, data: event, trace })
  return !error && result !== 'false'
}

export function conditionOf(config: JsonText): string | undefined {
  return toStringValue(toMembers(config)?.get('condition_function_id'))
}
