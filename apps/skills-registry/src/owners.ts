import { Fault } from '@iii/protocol'
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
}

/** So many connections are remembered. */
const MAX_KNOWN = 1000
/** One that has not told its name yet is asked for again after this, in milliseconds. */
const NAMELESS_MS = 1000
const Workers = z.object({
  workers: z.array(z.looseObject({ id: z.string(), name: z.string().nullish(), namespace: z.string().optional() })),
})
const DEFAULT_NAMESPACE = 'default'

/** Asks the engine once for each connection: one that registers often costs nothing. */
export function createOwners(worker: Pick<Worker, 'trigger'>, timeoutMs: () => number): Owners {
  const names = new Map<string, string>()
  const nameless = createRecent<true>({ ms: NAMELESS_MS, max: MAX_KNOWN })
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    const call = { function_id: 'engine::workers::list', payload: {}, timeoutMs: timeoutMs() }
    const { workers } = Workers.parse(await worker.trigger(call))
    if (names.size > MAX_KNOWN) names.clear()
    for (const { id, name, namespace } of workers) if (name) names.set(id, toOwner(name, namespace))
  }

  return {
    async nameOf(workerId) {
      if (workerId === undefined || names.has(workerId)) return names.get(workerId ?? '')
      if (nameless.get(workerId)) return undefined
      asking ??= ask().finally(() => {
        asking = undefined
      })
      // Without a name the record has no owner; that is no reason to refuse it.
      await asking.then(
        () => names.has(workerId) || nameless.note(workerId, true),
        () => undefined,
      )
      return names.get(workerId)
    },
  }
}

/** Workers of one name in two namespaces are two; no name of ours reads as one of elsewhere. */
function toOwner(name: string, namespace: string = DEFAULT_NAMESPACE): string {
  return namespace === DEFAULT_NAMESPACE && !name.startsWith('@') ? name : `@${namespace}/${name}`
}

/** @throws Fault `forbidden` when a record belongs to another worker. */
export function requireOwner(what: string, owner: string | undefined, by: string | undefined): void {
  if (owner === undefined || owner === by) return
  throw new Fault(
    'forbidden',
    `${what} belongs to the worker '${owner}': while ownership is strict, nobody else may change or remove it`,
  )
}
