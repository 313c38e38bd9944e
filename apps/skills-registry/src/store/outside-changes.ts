import { Fault } from '@iii/protocol'
import type { Registration, Worker } from '@iii/sdk'
import { z } from 'zod'
import type { Collection } from './collection.ts'
import { type Sized, type Stamped, toRecordDigest } from './record-kind.ts'

/** Watches the store for changes that no registry made. */
export interface OutsideChanges {
  stop(): void
}

/** A change is looked at so long after it was heard of: whoever made it through a registry has indexed it by then. */
const SETTLED_MS = 300
/** So many records may wait to be looked at; more are found when they are read. */
const MAX_WAITING = 20_000

const AMBIGUOUS = 'ambiguous'
const StateEvent = z.object({ key: z.string(), new_value: z.unknown() })

/**
 * Subscribes to the writes of a scope. The engine tells of those that were made on it, in no order: they are hints to look.
 *
 * @param reconcileLater is called with the key of each record that is not what the index says of it.
 */
export function watchOutsideChanges<Row extends Stamped, Entry extends Sized>(
  worker: Pick<Worker, 'registerFunction' | 'registerTrigger' | 'instance'>,
  collection: Collection<Row, Entry>,
  reconcileLater: (key: string) => void,
): OutsideChanges {
  const { kind, scope, replica, writing, log } = collection
  const waiting = new Map<string, { mark: string | undefined; timer: NodeJS.Timeout }>()

  /** What a written value is to the index: nothing, or a registration. */
  function toRow(key: string, value: unknown): Row | undefined {
    const row = kind.schema.safeParse(value).data
    return row && kind.keyOf(row) === key ? row : undefined
  }

  /** @param mark of a written value: nothing, or a registration */
  function isKnown(key: string, mark: string | undefined): boolean {
    const item = replica.get(key)
    if (mark === undefined) return item === undefined || item.lost === true
    return item !== undefined && !item.lost && `${item.entry.registered_at} ${item.digest}` === mark
  }

  /** Most events are those of our own writes, and come while these are under way. What was read is no measure: it may be what somebody else wrote. */
  function isOurs(key: string, row: Row): boolean {
    const ours = writing.get(key)
    return row.registered_at === ours?.registered_at && kind.contentOf(row) === kind.contentOf(ours)
  }

  function hear(event: unknown): object {
    const { key, new_value } = requireStateEvent(event, scope)
    const row = toRow(key, new_value)
    const earlier = waiting.get(key)
    if (!earlier && row && isOurs(key, row)) return {}
    const mark = row && `${row.registered_at} ${toRecordDigest(kind, row)}`
    // Of two events nobody knows which came last.
    if (earlier) earlier.mark = AMBIGUOUS
    if (earlier || isKnown(key, mark)) return {}
    if (waiting.size >= MAX_WAITING) reconcileLater(key)
    else waiting.set(key, { mark, timer: setTimeout(() => settle(key), SETTLED_MS).unref() })
    return {}
  }

  function settle(key: string): void {
    const mark = waiting.get(key)?.mark
    waiting.delete(key)
    if (!isKnown(key, mark)) reconcileLater(key)
  }

  // As settings change, a scope may become that of another kind before the former one has left it.
  const id = `skills::store::${worker.instance}::${kind.what.replace(' ', '-')}::${scope}`
  const registered: Registration[] = [
    worker.registerFunction(id, hear, { description: `Hears of writes to ${scope}`, metadata: { internal: true } }),
    worker.registerTrigger({
      type: 'state',
      function_id: id,
      config: { scope },
      onError: (error) =>
        log.warn({ scope, reason: error.message }, 'changes made by others are seen when they are read'),
    }),
  ]
  return {
    stop() {
      for (const registration of registered) registration.unregister()
      for (const { timer } of waiting.values()) clearTimeout(timer)
    },
  }
}

/** @throws Fault for what somebody else calls it with */
function requireStateEvent(event: unknown, scope: string): z.infer<typeof StateEvent> {
  const { data } = StateEvent.safeParse(event)
  if (data !== undefined) return data
  throw new Fault('invalid_input', `This function hears of writes to ${scope}, and takes nothing but events of state`)
}
