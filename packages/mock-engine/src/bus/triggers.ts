import type { JsonText } from '../json/json-text.ts'
import type { WireError } from './frames.ts'

/** A binding of a function to a trigger type. */
export interface Trigger {
  readonly id: string
  readonly triggerType: string
  readonly functionId: string
  readonly config: JsonText
  readonly metadata: JsonText | undefined
  /** The connection it lives with; `undefined` for a binding that outlives its creator. */
  readonly ownerId: string | undefined
}

/** Whoever makes a trigger type work: a built-in that decides at once, or a worker that answers later. */
export interface TriggerProvider {
  /** The connection of a providing worker, `undefined` for a built-in. */
  readonly workerId: string | undefined
  /** The name shown for it; a worker's comes from its report. */
  readonly workerName: string | undefined
  /** Takes a binding. A built-in throws what is wrong with it. */
  register(trigger: Trigger): void
  unregister(trigger: Trigger): void
}

export interface TriggerType {
  readonly id: string
  readonly description: string
  /** The shape of a binding's `config`. */
  readonly configSchema: JsonText | undefined
  /** The shape of what a bound function receives. */
  readonly requestSchema: JsonText | undefined
  /** The shape of what a bound function returns. */
  readonly responseSchema: JsonText | undefined
  readonly provider: TriggerProvider
}

/** Trigger types and bindings. A binding whose type nobody provides is parked until somebody does. */
export interface Triggers {
  type(id: string): TriggerType | undefined
  types(): readonly TriggerType[]
  /** Registers a type, taking it over from whoever had it, and offers it every binding of the type. */
  addType(type: TriggerType): void
  /** Registers a binding: `live`, or `parked` when nobody provides the type. Throws what a built-in provider throws. */
  add(trigger: Trigger): 'live' | 'parked'
  get(id: string): Trigger | undefined
  /** The live bindings in the order they were made. */
  list(): readonly Trigger[]
  /** Whether there was such a binding. */
  remove(id: string): boolean
  /** Removes a binding without telling its provider, which refused it. */
  forget(id: string): void
  /** A providing worker's verdict on a binding; a refused one is parked. */
  acknowledge(id: string, error: WireError | undefined): void
  /** Waits for the verdict on a binding, at most this long; silence counts as consent. */
  verdict(id: string, timeoutMs: number): Promise<WireError | undefined>
  /** Removes the bindings a worker made and the types it provided. */
  removeWorker(workerId: string): void
  close(): void
}

/** @param refused - tells the owner of a binding that its provider refused it. */
export function createTriggers(refused: (trigger: Trigger, error: WireError) => void): Triggers {
  const types = new Map<string, TriggerType>()
  const live = new Map<string, Trigger>()
  const parked = new Map<string, Trigger>()
  const waiting = new Map<string, (error: WireError | undefined) => void>()

  function activate(trigger: Trigger, type: TriggerType): void {
    type.provider.register(trigger)
    parked.delete(trigger.id)
    live.set(trigger.id, trigger)
  }

  function park(trigger: Trigger): void {
    live.delete(trigger.id)
    parked.set(trigger.id, trigger)
  }

  function remove(id: string): boolean {
    const trigger = live.get(id)
    if (!trigger) return parked.delete(id)
    live.delete(id)
    types.get(trigger.triggerType)?.provider.unregister(trigger)
    return true
  }

  return {
    type: (id) => types.get(id),
    types: () => [...types.values()],
    addType(type) {
      types.set(type.id, type)
      const offered = [...live.values(), ...parked.values()].filter((trigger) => trigger.triggerType === type.id)
      for (const trigger of offered) offer(() => activate(trigger, type))
    },
    add(trigger) {
      const type = types.get(trigger.triggerType)
      if (type) activate(trigger, type)
      else park(trigger)
      return type ? 'live' : 'parked'
    },
    get: (id) => live.get(id),
    list: () => [...live.values()],
    remove,
    forget: (id) => void (live.delete(id) || parked.delete(id)),
    acknowledge(id, error) {
      const trigger = live.get(id)
      const waiter = waiting.get(id)
      if (waiter) waiter(error)
      else if (trigger && error) {
        park(trigger)
        refused(trigger, error)
      }
    },
    verdict: (id, timeoutMs) => waitForVerdict(waiting, id, timeoutMs),
    removeWorker(workerId) {
      for (const trigger of [...live.values(), ...parked.values()]) if (trigger.ownerId === workerId) remove(trigger.id)
      const lost = [...types.values()].filter(({ provider }) => provider.workerId === workerId)
      for (const { id } of lost) types.delete(id)
      for (const trigger of live.values()) if (lost.some(({ id }) => id === trigger.triggerType)) park(trigger)
    },
    close() {
      for (const settle of waiting.values()) settle(undefined)
    },
  }
}

/** A binding that a new provider throws at is left out; nobody is told. */
function offer(activate: () => void): void {
  try {
    activate()
  } catch {
    // Replayed bindings have no caller to answer.
  }
}

function waitForVerdict(
  waiting: Map<string, (error: WireError | undefined) => void>,
  id: string,
  timeoutMs: number,
): Promise<WireError | undefined> {
  return new Promise((resolve) => {
    const settle = (error: WireError | undefined) => {
      clearTimeout(timer)
      waiting.delete(id)
      resolve(error)
    }
    const timer = setTimeout(settle, timeoutMs, undefined)
    waiting.set(id, settle)
  })
}
