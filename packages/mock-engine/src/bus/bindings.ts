import type { Trigger } from './triggers.ts'

/** The bindings that are in force, and those whose trigger type nobody provides. Each is one or the other. */
export interface Bindings {
  get(id: string): Trigger | undefined
  getParked(id: string): Trigger | undefined
  /** Those in force, in the order they were made. */
  list(): Trigger[]
  listParked(): Trigger[]
  enforce(trigger: Trigger): void
  park(trigger: Trigger): void
  /** @returns whether it was there. */
  drop(id: string): boolean
}

export function createBindings(): Bindings {
  const live = new Map<string, Trigger>()
  const parked = new Map<string, Trigger>()
  return {
    get: (id) => live.get(id),
    getParked: (id) => parked.get(id),
    list: () => [...live.values()],
    listParked: () => [...parked.values()],
    enforce(trigger) {
      parked.delete(trigger.id)
      live.set(trigger.id, trigger)
    },
    park(trigger) {
      live.delete(trigger.id)
      parked.set(trigger.id, trigger)
    },
    drop: (id) => live.delete(id) || parked.delete(id),
  }
}
