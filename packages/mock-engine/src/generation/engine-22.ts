import type { Generation } from '../bus/generation.ts'
import { DEFAULT_AT_ONCE } from '../bus/namespace-state.ts'
import { ANY_NAMES } from '../bus/worker-names.ts'

/** Engine 0.22.1: no namespaces, names are free for all, the last to register an id has it. */
export function createEngine22(): Generation {
  return {
    version: '0.22.1',
    unknownMembers: new Set(['namespace', 'trigger_namespace']),
    newer: <T extends object>() => ({}) as T,
    createWorkerNames: () => ANY_NAMES,
    admit: () => DEFAULT_AT_ONCE,
    conflictingOwner: () => undefined,
    subscriberQueueName: (topic, functionId) => `${topic}::${functionId}`,
    texts: {
      functionNotFound: (id) => `Function ${id} not found`,
      triggerTypeNotFound: (id) => `Trigger type '${id}' is not registered.`,
    },
    access: {
      targetsGated: false,
      absenceTold: false,
      passesMiddleware: (id) => id.startsWith('engine::'),
    },
  }
}
