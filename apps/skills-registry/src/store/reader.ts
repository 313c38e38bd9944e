import { Fault } from '@iii/protocol'
import { type Collection, readBody } from './collection.ts'
import type { ReconcileQueue } from './reconcile-queue.ts'
import { isGoneWith, isOlder, type Sized, type Stamped } from './record-kind.ts'
import type { Synchronised } from './synchronise.ts'

/** Reads one record as the store has it, never as it was before what this registry acknowledged last. */
export function createReader<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  index: Synchronised,
  queue: ReconcileQueue,
): (key: string) => Promise<Row | undefined> {
  const { replica, cache, kind, verification } = collection

  /** An engine that crashed may have come back with what it had some seconds ago: it is given what is newer before that is read. */
  async function readAcknowledged(key: string): Promise<Row | undefined> {
    const wasDue = verification.isDue
    const row = await readBody(collection, key)
    const isInDoubt = wasDue || verification.isDue
    if (!isInDoubt || row === undefined || !isSuperseded(collection, key, row)) return row
    await index.refresh()
    return await readBody(collection, key)
  }

  /** The engine may have come back without its state: it is given it back first. */
  async function readMissing(key: string): Promise<Row | undefined> {
    await index.refresh()
    const row = await readBody(collection, key)
    if (row !== undefined) return row
    if (replica.get(key)?.lost) throw lostBody(kind.what, key)
    queue.add(key)
    return undefined
  }

  return async (key) => {
    const row = await readAcknowledged(key)
    const known = replica.get(key)
    if (row === undefined) return known && (await readMissing(key))
    if (known && !known.lost && row.registered_at === known.entry.registered_at) {
      cache.set(key, row, kind.sizeOf(known.entry))
    } else if (replica.epoch !== undefined) {
      queue.add(key)
    }
    return row
  }
}

/** Whether a record is older than what was written here lately, or was removed here. */
function isSuperseded<Row extends Stamped, Entry extends Sized>(
  { journal, removed }: Collection<Row, Entry>,
  key: string,
  row: Row,
): boolean {
  const last = journal.get(key)
  if (last === undefined) return false
  if (last.item) return isOlder(row, last.item.entry)
  const gone = removed.get(key)
  return gone !== undefined && isGoneWith(row, gone)
}

function lostBody(what: string, key: string): Fault {
  return new Fault('not_found', `The text of ${what} ${key} went down with the engine's state: register it again`)
}
