import { hostname } from 'node:os'
import { readInstance } from '@iii/protocol'
import { z } from 'zod'
import type { AskEngine } from '../engine/call.ts'
import type { Owner, WatchedWorker } from './ownership.ts'

/**
 * Each watching worker has one function of its own, below a prefix that no client sees. It is called when workers come and
 * go, and its metadata is a card: it says who stands behind the nonce of all its other registrations.
 */
const CARD_PREFIX = 'iii::instance::'

const CARD_KEY = 'iii.card'
/** The event of those who only want an answer. */
const PROBE = 'probe'
/** So many events until the next look are a crowd, such as all workers after a restart of the engine: each would be told of each. */
const CROWD = 8

const Card = z.object({
  name: z.string(),
  worker_id: z.string().optional(),
  version: z.string().optional(),
  pid: z.number().optional(),
  host: z.string().optional(),
  /** The first of its functions that another process can have too; twins have the same. */
  lead: z.string().optional(),
  defers: z.boolean().optional(),
})
const Row = z.object({
  function_id: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  namespace: z.string().optional(),
})
const Rows = z.object({ functions: z.array(Row) })

export interface Cards {
  /** Shows ours on this connection. */
  show(lead: string | undefined): void
  /** Forgets ours: the connection is gone. */
  forget(): void
  /** Everything is looked at from here on: hears again of workers, where a crowd of them was enough for that. */
  listen(): void
  /** Who stands behind a nonce; undefined for one that has no card. */
  read(instance: string): Promise<Owner | undefined>
  /** Calls the function of another process, which answers as long as it can. */
  probe(instance: string, timeoutMs: number): Promise<unknown>
  /** The other processes whose first function is the same; none for a worker that shares nothing. Never rejects. */
  findTwins(lead: string | undefined): Promise<Owner[]>
}

export interface CardOptions {
  worker: Pick<WatchedWorker, 'instance' | 'workerId' | 'registerFunction' | 'registerTrigger' | 'trigger'>
  /** The name under which the engine lists it now. */
  name(): string
  version: string | undefined
  namespace: string
  ask: AskEngine
  /** Does it leave what is nobody's to others that want it? */
  defers(): boolean
  /** A worker left, or else one came or said who it is. */
  onWorkers(left: boolean): void
}

export function createCards({ worker, name, version, namespace, ask, defers, onWorkers }: CardOptions): Cards {
  const id = `${CARD_PREFIX}${worker.instance}`
  let shown: { unregister(): void } | undefined
  let events: { unregister(): void } | undefined
  let heard = 0

  function bind(): void {
    heard = 0
    events ??= worker.registerTrigger({ type: 'engine::workers-available', function_id: id })
  }

  function unbind(): void {
    events?.unregister()
    events = undefined
  }

  function forget(): void {
    unbind()
    shown?.unregister()
    shown = undefined
  }

  function onEvent(event: { event?: unknown } | null): object {
    if (event?.event === PROBE) return {}
    heard += 1
    if (heard === CROWD) unbind()
    onWorkers(event?.event === 'worker_disconnected')
    return {}
  }

  return {
    show(lead) {
      forget()
      const card = {
        name: name(),
        worker_id: worker.workerId,
        version,
        pid: process.pid,
        host: hostname(),
        lead,
        ...(defers() ? { defers: true } : {}),
      }
      bind()
      shown = worker.registerFunction(id, onEvent, {
        description: 'Tells who this process is, and hears that workers come and go.',
        request_format: { type: 'object', properties: { event: { type: 'string' }, worker_id: { type: 'string' } } },
        response_format: { type: 'object' },
        metadata: { internal: true, 'mcp.expose': false, [CARD_KEY]: card },
      })
    },
    forget,
    listen() {
      if (shown !== undefined) bind()
    },
    read: (instance) => readOwner(ask, instance, namespace),
    probe: (instance, timeoutMs) =>
      worker.trigger({ function_id: CARD_PREFIX + instance, payload: { event: PROBE }, namespace, timeoutMs }),
    async findTwins(lead) {
      if (lead === undefined) return []
      const question = ask('engine::functions::list', { prefix: CARD_PREFIX, include_internal: true })
      const answer = Rows.safeParse(await question.catch(() => undefined))
      return (answer.data?.functions ?? []).flatMap(({ metadata, namespace: where = namespace }) => {
        const card = readCard(metadata)
        const instance = readInstance(metadata)
        const isTwin =
          where === namespace && card?.lead === lead && instance !== undefined && instance !== worker.instance
        return isTwin ? [toOwner(card, instance)] : []
      })
    },
  }
}

/** Who stands behind a nonce, as the card says; undefined for one that has no card. */
export async function readOwner(ask: AskEngine, instance: string, namespace: string): Promise<Owner | undefined> {
  const question = { function_id: CARD_PREFIX + instance, namespace }
  const answer = Row.safeParse(await ask('engine::functions::info', question))
  const card = readCard(answer.data?.metadata)
  return card && toOwner(card, instance)
}

function readCard(metadata: unknown): z.infer<typeof Card> | undefined {
  return z.object({ [CARD_KEY]: Card }).safeParse(metadata).data?.[CARD_KEY]
}

function toOwner(card: z.infer<typeof Card>, instance: string | undefined): Owner {
  const { name, worker_id: workerId, version, pid, host, defers } = card
  return { name, workerId, version, pid, host, instance, ...(defers ? { defers } : {}) }
}
