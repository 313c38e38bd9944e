import { DEFAULT_NAMESPACE, Fault } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { z } from 'zod'
import { createRecent } from './store/recent.ts'

/** Tells who connected workers are. */
export interface Owners {
  /**
   * The name of the worker with this connection id, `@NAMESPACE/NAME` where that is in another namespace than the registry; undefined when
   * the engine does not know it, or does not say.
   */
  nameOf(workerId: string | undefined): Promise<string | undefined>
  /** The namespace of that worker, if it is another than that of the registry and the engine says so. */
  namespaceOf(workerId: string | undefined): Promise<string | undefined>
}

/** So many connections are remembered. */
const MAX_KNOWN = 1000
/** One that has not told its name yet is asked for again after this, in milliseconds. */
const NAMELESS_MS = 1000
const Workers = z.object({
  workers: z.array(z.looseObject({ id: z.string(), name: z.string().nullish(), namespace: z.string().optional() })),
})

/** Asks the engine once for each connection: one that registers often costs nothing. */
export function createOwners(
  worker: Pick<Worker, 'trigger'> & { readonly namespace?: string | undefined },
  timeoutMs: () => number,
): Owners {
  const { namespace: own = DEFAULT_NAMESPACE } = worker
  const known = new Map<string, Owner>()
  const nameless = createRecent<true>({ ms: NAMELESS_MS, max: MAX_KNOWN })
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    const call = { function_id: 'engine::workers::list', payload: {}, timeoutMs: timeoutMs() }
    const { workers } = Workers.parse(await worker.trigger(call))
    if (known.size > MAX_KNOWN) known.clear()
    for (const { id, name, namespace } of workers) if (name) known.set(id, toOwner(name, namespace, own))
  }

  async function find(workerId: string | undefined): Promise<Owner | undefined> {
    if (workerId === undefined || known.has(workerId)) return known.get(workerId ?? '')
    if (nameless.get(workerId)) return undefined
    asking ??= ask().finally(() => {
      asking = undefined
    })
    // Without a name the record has no owner; that is no reason to refuse it.
    await asking.then(
      () => known.has(workerId) || nameless.note(workerId, true),
      () => undefined,
    )
    return known.get(workerId)
  }

  return {
    nameOf: async (workerId) => (await find(workerId))?.name,
    namespaceOf: async (workerId) => (await find(workerId))?.namespace,
  }
}

interface Owner {
  readonly name: string
  /** If not that of the registry. */
  readonly namespace: string | undefined
}

/** Workers of one name in two namespaces are two; no name of ours reads as one of elsewhere. */
function toOwner(name: string, namespace: string | undefined, own: string): Owner {
  const isOurs = namespace === undefined || namespace === own
  const text = isOurs && !name.startsWith('@') ? name : `@${namespace ?? own}/${name}`
  return { name: text, namespace: isOurs ? undefined : namespace }
}

/** @throws Fault `forbidden` when a record belongs to another worker. */
export function requireOwner(what: string, owner: string | undefined, by: string | undefined): void {
  if (owner === undefined || owner === by) return
  throw new Fault(
    'forbidden',
    `${what} belongs to the worker '${owner}': while ownership is strict, nobody else may change or remove it`,
  )
}
