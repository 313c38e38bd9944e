import type { JsonText } from '../json/json-text.ts'
import { type Bindings, createBindings } from './bindings.ts'
import type { WireError } from './frames.ts'
import { createProposals } from './proposals.ts'

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
  /** A binding that is in force or parked. */
  find(id: string): Trigger | undefined
  /** Whether there was such a binding. Throws what a built-in provider throws; the binding stays then. */
  remove(id: string): boolean
  /**
   * Registers a binding once its provider has agreed: a built-in at once, a worker when it says so, and after this long
   * silence counts as consent. Throws what a built-in provider throws.
   *
   * @returns why it was refused; nothing is registered then.
   */
  propose(trigger: Trigger, timeoutMs: number): Promise<WireError | undefined>
  /** What a worker says about a binding: heard if it provides the type. A refused binding is parked. */
  acknowledge(workerId: string, id: string, error: WireError | undefined): void
  /** Removes the bindings a worker made and the types it provided. Throws what a built-in provider throws; the rest stays then. */
  removeWorker(workerId: string): void
  close(): void
}

/**
 * @param refused - tells the owner of a binding that its provider refused it.
 * @param arrange - puts bindings in the order in which providers hear of them, where none is promised.
 */
export function createTriggers(
  refused: (trigger: Trigger, error: WireError) => void,
  arrange: (bindings: readonly Trigger[]) => readonly Trigger[],
): Triggers {
  const types = new Map<string, TriggerType>()
  const bindings = createBindings()
  const proposals = createProposals()
  const providerOf = ({ triggerType }: Trigger) => types.get(triggerType)?.provider

  function activate(trigger: Trigger, type: TriggerType): void {
    type.provider.register(trigger)
    bindings.enforce(trigger)
  }

  function add(trigger: Trigger): 'live' | 'parked' {
    const type = types.get(trigger.triggerType)
    if (type) activate(trigger, type)
    else bindings.park(trigger)
    return type ? 'live' : 'parked'
  }

  async function propose(trigger: Trigger, timeoutMs: number): Promise<WireError | undefined> {
    const provider = providerOf(trigger)
    if (provider?.workerId === undefined) {
      add(trigger)
      return undefined
    }
    const verdict = proposals.open(trigger.id, provider.workerId, timeoutMs)
    provider.register(trigger)
    const error = await verdict
    if (error) return error
    if (providerOf(trigger) === provider) bindings.enforce(trigger)
    else bindings.park(trigger)
    return undefined
  }

  return {
    type: (id) => types.get(id),
    types: () => [...types.values()],
    addType(type) {
      types.set(type.id, type)
      const offered = [...bindings.list(), ...bindings.listParked()].filter(
        ({ triggerType }) => triggerType === type.id,
      )
      for (const trigger of arrange(offered)) offer(() => activate(trigger, type))
    },
    add,
    get: bindings.get,
    find: (id) => bindings.get(id) ?? bindings.getParked(id),
    list: bindings.list,
    remove(id) {
      const trigger = bindings.get(id)
      if (trigger) providerOf(trigger)?.unregister(trigger)
      return bindings.drop(id)
    },
    propose,
    acknowledge(workerId, id, error) {
      if (proposals.decide(id, workerId, error)) return
      const trigger = bindings.get(id)
      if (!trigger || !error || providerOf(trigger)?.workerId !== workerId) return
      bindings.park(trigger)
      refused(trigger, error)
    },
    removeWorker(workerId) {
      removeBindings(bindings, workerId, arrange, (trigger) => providerOf(trigger)?.unregister(trigger))
      removeTypes(types, bindings, workerId)
      proposals.close(workerId)
    },
    close: () => proposals.close(),
  }
}

function removeBindings(
  bindings: Bindings,
  workerId: string,
  arrange: (bindings: readonly Trigger[]) => readonly Trigger[],
  tellProvider: (trigger: Trigger) => void,
): void {
  const isOwn = (trigger: Trigger) => trigger.ownerId === workerId
  for (const trigger of arrange(bindings.list().filter(isOwn))) {
    bindings.drop(trigger.id)
    tellProvider(trigger)
  }
  for (const { id } of bindings.listParked().filter(isOwn)) bindings.drop(id)
}

/** What others bound to a type that is gone waits for the next provider. */
function removeTypes(types: Map<string, TriggerType>, bindings: Bindings, workerId: string): void {
  for (const { id, provider } of [...types.values()]) {
    if (provider.workerId !== workerId) continue
    types.delete(id)
    for (const trigger of bindings.list()) if (trigger.triggerType === id) bindings.park(trigger)
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
