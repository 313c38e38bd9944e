import type { WireError } from '../wire/frames.ts'
import { createBindings } from './bindings.ts'
import { createPendingBindings } from './pending-bindings.ts'
import type { Trigger } from './trigger.ts'
import { createTriggerTypes, type TriggerProvider, type TriggerType, type TypeReference } from './trigger-types.ts'

/** Trigger types and bindings. A binding whose type nobody provides is parked until somebody does. */
export interface Triggers {
  type(id: string, namespace: string): TriggerType | undefined
  types(): readonly TriggerType[]
  /**
   * Registers a type, taking it over from whoever had it there, and offers it every binding that goes to it: those in force
   * with it or with a provider further off, and parked ones.
   */
  addType(type: TriggerType): void
  /** Registers a binding: `live`, or `parked` when nobody provides the type. Throws what a built-in provider throws. */
  add(trigger: Trigger): 'live' | 'parked'
  get(id: string): Trigger | undefined
  /** The live bindings in the order they were made. */
  list(): readonly Trigger[]
  /** A binding that is in force or parked. */
  find(id: string): Trigger | undefined
  /** The type that a binding in force is with. */
  servedBy(id: string): TriggerType | undefined
  /** Whoever hears of a binding: its provider, or the one it would have. */
  providerFor(binding: TypeReference & { readonly id?: string }): TriggerProvider | undefined
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

/** Puts bindings in the order in which providers hear of them, where none is promised. */
type Reorder = (bindings: readonly Trigger[]) => readonly Trigger[]

/** @param refused - tells the owner of a binding that its provider refused it. */
export function createTriggers(refused: (trigger: Trigger, error: WireError) => void, reorder: Reorder): Triggers {
  const registry = createRegistry()
  const { types, bindings, servedBy, activate } = registry
  const pending = createPendingBindings()

  function add(trigger: Trigger): 'live' | 'parked' {
    const type = types.resolve(trigger)
    if (type) activate(trigger, type)
    else bindings.defer(trigger)
    return type ? 'live' : 'parked'
  }

  async function propose(trigger: Trigger, timeoutMs: number): Promise<WireError | undefined> {
    const type = types.resolve(trigger)
    if (type?.provider.workerId === undefined) {
      add(trigger)
      return undefined
    }
    const verdict = pending.open(trigger.id, type.provider.workerId, timeoutMs)
    type.provider.register(trigger)
    const error = await verdict
    if (error) return error
    if (types.resolve(trigger) === type) bindings.enforce(trigger, type.namespace)
    else bindings.park(trigger)
    return undefined
  }

  return {
    type: types.get,
    types: types.list,
    addType: (type) => addType(registry, type, reorder),
    add,
    get: bindings.get,
    find: (id) => bindings.get(id) ?? bindings.getParked(id),
    list: bindings.list,
    servedBy,
    providerFor: (binding) => (servedBy(binding.id ?? '') ?? types.resolve(binding))?.provider,
    remove(id) {
      const trigger = bindings.get(id)
      if (trigger) servedBy(id)?.provider.unregister(trigger)
      return bindings.drop(id)
    },
    propose,
    acknowledge(workerId, id, error) {
      if (pending.decide(id, workerId, error)) return
      const trigger = bindings.get(id)
      if (!trigger || !error || servedBy(id)?.provider.workerId !== workerId) return
      bindings.park(trigger)
      refused(trigger, error)
    },
    removeWorker(workerId) {
      removeBindings(registry, workerId, reorder)
      removeTypes(registry, workerId)
      pending.close(workerId)
    },
    close: () => pending.close(),
  }
}

/** Types and bindings, and which is with which. */
type Registry = ReturnType<typeof createRegistry>

function createRegistry() {
  const types = createTriggerTypes()
  const bindings = createBindings()
  return {
    types,
    bindings,
    servedBy(id: string): TriggerType | undefined {
      const place = bindings.providerNamespaceOf(id)
      return place === undefined ? undefined : types.get(bindings.get(id)?.triggerType ?? '', place)
    },
    activate(trigger: Trigger, type: TriggerType): void {
      type.provider.register(trigger)
      bindings.enforce(trigger, type.namespace)
    },
  }
}

function addType({ types, bindings, servedBy, activate }: Registry, type: TriggerType, reorder: Reorder): void {
  types.set(type)
  const isFor = (trigger: Trigger) => trigger.triggerType === type.id && types.resolve(trigger) === type
  const served = bindings.list().filter(({ id }) => servedBy(id) === type)
  const parked = bindings.listParked().filter(isFor)
  const further = bindings.list().filter((trigger) => servedBy(trigger.id) !== type && isFor(trigger))
  for (const trigger of reorder([...served, ...parked])) attempt(() => activate(trigger, type))
  for (const trigger of reorder(further)) {
    attempt(() => servedBy(trigger.id)?.provider.unregister(trigger))
    if (!attempt(() => activate(trigger, type))) bindings.park(trigger)
  }
}

function removeBindings({ bindings, servedBy }: Registry, workerId: string, reorder: Reorder): void {
  const isOwn = (trigger: Trigger) => trigger.ownerId === workerId
  for (const trigger of reorder(bindings.list().filter(isOwn))) {
    const type = servedBy(trigger.id)
    bindings.dropLive(trigger.id)
    type?.provider.unregister(trigger)
  }
  for (const { id } of bindings.listParked().filter(isOwn)) bindings.dropParked(id)
}

/** What others bound to a type that is gone goes to the provider that is further off, or waits for the next one. */
function removeTypes({ types, bindings, servedBy, activate }: Registry, workerId: string): void {
  for (const type of types.list().filter(({ provider }) => provider.workerId === workerId)) {
    const orphans = bindings.list().filter(({ id }) => servedBy(id) === type)
    types.delete(type)
    for (const trigger of orphans) {
      const next = types.resolve(trigger)
      if (!next || !attempt(() => activate(trigger, next))) bindings.park(trigger)
    }
  }
}

/** Bindings that are handed on have no caller to answer when a provider throws at them. @returns whether it took it. */
function attempt(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
