import { builtinType } from '../builtins/define.ts'
import { type Bus, FUNCTIONS_AVAILABLE, WORKERS_AVAILABLE } from '../bus/bus.ts'
import type { TriggerType } from '../bus/trigger-types.ts'
import { objectText } from '../json/build.ts'
import { arrayText } from '../json/json-text.ts'
import { functionSummary } from './rows.ts'

/** The types that tell of workers and functions coming and going. */
export function availabilityTypes(): TriggerType[] {
  return [
    builtinType('engine', {
      id: FUNCTIONS_AVAILABLE,
      description: 'Triggered when functions are registered/unregistered',
    }),
    builtinType('engine', { id: WORKERS_AVAILABLE, description: 'Triggered when workers connect/disconnect' }),
  ]
}

/**
 * Looks every so often at which functions there are and fires `engine::functions-available` when the set has changed; a change
 * that is undone between two looks, and a change of anything but ids and their namespaces, goes unnoticed.
 *
 * @returns a function that stops it.
 */
export function pollFunctions(bus: Bus, intervalMs: number): () => void {
  let known = new Set(bus.functions.keys())
  const timer = setInterval(() => {
    const keys = new Set(bus.functions.keys())
    const same = keys.size === known.size && [...keys].every((key) => known.has(key))
    known = keys
    if (same) return
    const functions = arrayText(bus.functions.list().map((entry) => functionSummary(bus, entry)))
    bus.fireAll(FUNCTIONS_AVAILABLE, objectText({ event: '"functions_changed"', functions }))
  }, intervalMs)
  return () => clearInterval(timer)
}
