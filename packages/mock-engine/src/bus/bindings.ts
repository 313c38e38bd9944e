import type { Trigger } from './trigger.ts'

/** The bindings that are in force, and those whose trigger type nobody provides. Under one id there may be one of each. */
export interface Bindings {
  get(id: string): Trigger | undefined
  getParked(id: string): Trigger | undefined
  /** Those in force, in the order they were made. */
  list(): Trigger[]
  listParked(): Trigger[]
  /** Where the provider is that a binding in force is with. */
  providerNamespaceOf(id: string): string | undefined
  /** @param place - the namespace of the provider. */
  enforce(trigger: Trigger, place: string): void
  /** Takes one out of force until its type is there. */
  park(trigger: Trigger): void
  /** Parks one; what is in force under its id stays so. */
  defer(trigger: Trigger): void
  /** @returns whether there was any. */
  drop(id: string): boolean
  dropLive(id: string): void
  dropParked(id: string): void
}

export function createBindings(): Bindings {
  const live = new Map<string, { readonly trigger: Trigger; readonly place: string }>()
  const parked = new Map<string, Trigger>()
  return {
    get: (id) => live.get(id)?.trigger,
    getParked: (id) => parked.get(id),
    list: () => [...live.values()].map(({ trigger }) => trigger),
    listParked: () => [...parked.values()],
    providerNamespaceOf: (id) => live.get(id)?.place,
    enforce(trigger, place) {
      parked.delete(trigger.id)
      live.set(trigger.id, { trigger, place })
    },
    park(trigger) {
      live.delete(trigger.id)
      parked.set(trigger.id, trigger)
    },
    defer: (trigger) => void parked.set(trigger.id, trigger),
    drop(id) {
      const wasLive = live.delete(id)
      return parked.delete(id) || wasLive
    },
    dropLive: (id) => void live.delete(id),
    dropParked: (id) => void parked.delete(id),
  }
}
