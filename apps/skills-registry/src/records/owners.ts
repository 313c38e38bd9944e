import { setTimeout as wait } from 'node:timers/promises'
import { DEFAULT_NAMESPACE, Fault } from '@iii/protocol'
import { findPlainName, type Worker } from '@iii/sdk'
import { z } from 'zod'
import { createRecent } from '../store/recent.ts'

/** Tells who connected workers are. */
export interface Owners {
  /**
   * The name of the worker with this connection id, `@NAMESPACE/NAME` where that is in another namespace than the registry; undefined when
   * the engine does not know it, or does not say. Of several processes of one worker all have the name that one of them has.
   */
  nameOf(workerId: string | undefined): Promise<string | undefined>
  /** The namespace of that worker, if it is another than that of the registry and the engine says so. */
  namespaceOf(workerId: string | undefined): Promise<string | undefined>
  /** The names of all workers that are there, as `nameOf` tells them. @throws what the engine said */
  present(): Promise<ReadonlySet<string>>
}

/** So many connections are remembered. */
const MAX_KNOWN = 1000
/** One that has not told its name yet is asked for again after this, in milliseconds. */
const NAMELESS_MS = 1000
/** iii-sdk tells the name of a worker behind the calls that waited for its connection, and the engine lists it from then on: a new one is asked for again after each of these, in milliseconds. */
const PAUSES_MS = [10, 20, 40, 80, 160]
const Workers = z.object({
  workers: z.array(z.looseObject({ id: z.string(), name: z.string().nullish(), namespace: z.string().optional() })),
})

/** Asks the engine once for each connection: one that registers often costs nothing. */
export function createOwners(
  worker: Pick<Worker, 'trigger'> & { readonly namespace?: string | undefined },
  timeoutMs: () => number,
): Owners {
  const { namespace: own = DEFAULT_NAMESPACE } = worker
  const known = new Map<string, Row>()
  const plains = new Map<string, string>()
  const nameless = createRecent<true>({ ms: NAMELESS_MS, max: MAX_KNOWN })
  const unproven = createRecent<true>({ ms: NAMELESS_MS, max: MAX_KNOWN })
  const waitedFor = createRecent<true>({ ms: Number.POSITIVE_INFINITY, max: MAX_KNOWN })
  const searches = new Map<string, Promise<void>>()
  let asking: Promise<unknown> | undefined

  const ask = (function_id: string, payload: object) => worker.trigger({ function_id, payload, timeoutMs: timeoutMs() })

  async function learn(): Promise<z.infer<typeof Workers>['workers']> {
    const { workers } = Workers.parse(await ask('engine::workers::list', {}))
    if (known.size > MAX_KNOWN) for (const map of [known, plains]) map.clear()
    for (const { id, name, namespace } of workers) if (name) known.set(id, { name, namespace })
    return workers
  }

  /** Asked by several at once, the engine answers once. */
  async function isKnown(workerId: string): Promise<boolean> {
    asking ??= learn().finally(() => {
      asking = undefined
    })
    await asking
    return known.has(workerId)
  }

  async function search(workerId: string): Promise<void> {
    let isFound = await isKnown(workerId)
    for (const pauseMs of waitedFor.get(workerId) ? [] : PAUSES_MS) {
      if (isFound) return
      await wait(pauseMs)
      isFound = await isKnown(workerId)
    }
    if (isFound) return
    nameless.note(workerId, true)
    waitedFor.note(workerId, true)
  }

  async function findRow(workerId: string): Promise<Row | undefined> {
    // One search for all calls of a connection, also where another one has learned its name meanwhile: they go on in their order.
    let searching = searches.get(workerId)
    if (searching === undefined) {
      if (known.has(workerId) || nameless.get(workerId)) return known.get(workerId)
      // Without a name the record has no owner; that is no reason to refuse it.
      searching = search(workerId)
        .catch(() => undefined)
        .finally(() => searches.delete(workerId))
      searches.set(workerId, searching)
    }
    await searching
    return known.get(workerId)
  }

  /** Where there are no namespaces, nobody is refused a name. */
  async function findPlain(workerId: string, row: Row): Promise<string | undefined> {
    if (row.namespace === undefined || plains.has(workerId) || unproven.get(workerId)) return plains.get(workerId)
    const plain = await findPlainName(ask, row).catch(() => undefined)
    if (plain === undefined) unproven.note(workerId, true)
    else plains.set(workerId, plain)
    return plain
  }

  async function find(workerId: string | undefined): Promise<Owner | undefined> {
    const row = workerId === undefined ? undefined : await findRow(workerId)
    if (workerId === undefined || row === undefined) return undefined
    return toOwner({ ...row, name: (await findPlain(workerId, row)) ?? row.name }, own)
  }

  return {
    nameOf: async (workerId) => (await find(workerId))?.name,
    namespaceOf: async (workerId) => (await find(workerId))?.namespace,
    async present() {
      const named = (await learn()).filter(({ name }) => name)
      const found = await Promise.all(named.map(({ id }) => find(id)))
      return new Set(found.flatMap((owner) => (owner === undefined ? [] : [owner.name])))
    },
  }
}

/** A worker as the engine lists it. */
interface Row {
  readonly name: string
  /** Engines before 0.23 have none. */
  readonly namespace: string | undefined
}

interface Owner {
  readonly name: string
  /** If not that of the registry. */
  readonly namespace: string | undefined
}

/** Workers of one name in two namespaces are two; no name of ours reads as one of elsewhere. */
function toOwner({ name, namespace }: Row, own: string): Owner {
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
