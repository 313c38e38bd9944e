import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { JsonText } from '../json/json-text.ts'
import { toNamespacedKey } from '../wire/namespace.ts'
import type { Trigger } from './trigger.ts'

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
  readonly namespace: string
  readonly description: string
  /** The shape of a binding's `config`. */
  readonly configSchema: JsonText | undefined
  /** The shape of what a bound function receives. */
  readonly requestSchema: JsonText | undefined
  /** The shape of what a bound function returns. */
  readonly responseSchema: JsonText | undefined
  readonly provider: TriggerProvider
}

/** What says which provider a binding goes to. */
export type TypeReference = Pick<Trigger, 'triggerType' | 'typeNamespace' | 'ownNamespace'>

/** The trigger types of every namespace; the last to register one has it. */
export interface TriggerTypes {
  get(id: string, namespace: string): TriggerType | undefined
  list(): TriggerType[]
  /** Where a binding goes: to the namespace it names and no other, else to the one of its maker, else to the default one. */
  resolve(reference: TypeReference): TriggerType | undefined
  set(type: TriggerType): void
  delete(type: TriggerType): void
}

export function createTriggerTypes(): TriggerTypes {
  const types = new Map<string, TriggerType>()
  const get = (id: string, namespace: string) => types.get(toNamespacedKey(namespace, id))
  return {
    get,
    list: () => [...types.values()],
    resolve({ triggerType, typeNamespace, ownNamespace }) {
      if (typeNamespace !== undefined) return get(triggerType, typeNamespace)
      return get(triggerType, ownNamespace) ?? get(triggerType, DEFAULT_NAMESPACE)
    },
    set: (type) => void types.set(toNamespacedKey(type.namespace, type.id), type),
    delete: (type) => void types.delete(toNamespacedKey(type.namespace, type.id)),
  }
}
