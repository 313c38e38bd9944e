import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { Defects } from '../bus/defects.ts'
import type { Functions } from '../bus/functions.ts'
import type { Generation, Texts } from '../bus/generation.ts'
import { createNamespaceState } from '../bus/namespace-state.ts'
import { createWorkerNames } from '../bus/worker-names.ts'
import type { BusWorker } from '../bus/workers.ts'

/** Ids that begin so are the engine's; only in the default namespace a worker may have one that is free. */
const RESERVED = 'engine::'

/** Engine 0.23: namespaces, names that one connection has at a time, functions that stay with who came first. */
export function createEngine23(
  graceMs: number,
  defects: Pick<Defects, 'shadowedBuiltin' | 'graceOpensDefault'>,
): Generation {
  return {
    version: '0.23.0-rc.4',
    unknownMembers: new Set(),
    newer: (fields) => fields,
    createWorkerNames,
    admit(worker, carryOut) {
      const mayBeInDefault = () =>
        defects.graceOpensDefault || worker.session?.refuseNamespace(DEFAULT_NAMESPACE) === undefined
      return createNamespaceState(graceMs, () => (mayBeInDefault() ? DEFAULT_NAMESPACE : undefined), carryOut)
    },
    conflictingOwner: (functions, worker, id) => conflictingOwner(functions, worker, id, defects.shadowedBuiltin),
    subscriberQueueName: (topic, functionId, namespace) =>
      `${escapeName(`${topic}::${functionId}`)}@${escapeName(namespace)}`,
    texts: TEXTS,
    access: {
      targetsGated: true,
      absenceTold: true,
      passesMiddleware: (id, host) => id.startsWith(RESERVED) && host?.kind !== 'worker',
    },
  }
}

function conflictingOwner(
  functions: Functions,
  { id: workerId, namespaceState: { namespace } }: BusWorker,
  functionId: string,
  shadowed: boolean,
): string | undefined {
  if (functionId.startsWith(RESERVED) && namespace !== DEFAULT_NAMESPACE) return ''
  const host = functions.get(functionId, namespace)?.host
  if (host?.kind === 'worker') return host.workerId === workerId ? undefined : host.workerId
  return host && !shadowed ? '' : undefined
}

const TEXTS: Texts = {
  functionNotFound(id, namespace, caller, elsewhere) {
    const missing = `Function ${id} not found in namespace ${namespace}`
    if (caller === 'engine') return missing
    const hint = elsewhere.length > 0 ? ` It is registered in namespace(s): ${elsewhere.join(', ')}.` : ''
    return `${missing}.${hint}`
  },
  triggerTypeNotFound: (id, namespace) => `Trigger type '${id}' is not registered in namespace '${namespace}'.`,
}

/** So that no two queues have one name. */
function escapeName(text: string): string {
  return text.replace(/[\\@]/g, '\\$&')
}
