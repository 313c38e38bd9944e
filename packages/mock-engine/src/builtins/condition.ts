import type { Bus } from '../bus/bus.ts'
import { toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

/** Asks the condition function of a binding, if it names one: an error or an explicit `false` skips the event. */
export async function passes(bus: Bus, config: JsonText, event: JsonText): Promise<boolean> {
  const functionId = toStringValue(toMembers(config)?.get('condition_function_id'))
  if (functionId === undefined) return true
  const { result, error } = await bus.calls.ask({ functionId, data: event })
  return !error && result !== 'false'
}
