import type { Trigger } from './trigger.ts'

/** The bindings that are in force, and those whose trigger type nobody provides. Each is one or the other. */
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
  park(trigger: Trigger): void
  /** @returns whether it was there. */
  drop(id: string): boolean
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
    drop: (id) => live.delete(id) || parked.delete(id),
  }
}
