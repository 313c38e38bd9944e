import { Fault } from '@iii/protocol'
import { acceptAbsence, cameBack, removeAgain, watchStore } from './absence.ts'
import { type Collection, enter, readRecord } from './collection.ts'
import { type IndexRow, isTombstone } from './index-rows.ts'
import { type Indexed, isOutdated, isSame, toIndexed } from './indexed.ts'
import { isOlder, type RecordKind, type Sized, type Stamped } from './record-kind.ts'
import { toChangeEvent } from './replica.ts'

/** So often a record is read anew that another registry writes at the same time. */
const MAX_TRIES = 5

/**
 * Looks at a record that somebody else may have written, and brings the index up to it; announces what was different.
 *
 * @throws Fault when the store cannot be read or written, or may have lost what is not there.
 */
export function reconcile<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  key: string,
): Promise<void> {
  return collection.mutex.run(key, async () => {
    const requireSameStore = watchStore(collection, key)
    const { row, indexed } = await readBoth(collection, key)
    const known = collection.replica.get(key)
    if (row === undefined) return await acceptAbsence(collection, key, indexed, requireSameStore)
    if (cameBack(collection, row)) return await removeAgain(collection, key, row)
    // Whoever wrote an old record may have meant it, but a store that has gone back to an older state did not.
    if (known && isOlder(row, known.entry)) await requireSameStore()
    await adopt(collection, row, indexed)
  })
}

/** What is stored of a record, and what the index says of it. Needs the lock of the record. */
export async function readBoth<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  key: string,
): Promise<{ row: Row | undefined; indexed: IndexRow<Entry> }> {
  const { replica, rows } = collection
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = replica.get(key)
    const [row, indexed] = await Promise.all([readRecord(collection, key), rows.get(key)])
    // What another registry did meanwhile may be newer than what was read.
    if (replica.get(key) === known) return { row, indexed }
  }
  throw new Fault('unavailable', `The ${collection.kind.what} ${key} changes all the time`)
}

/** Makes the index describe a record as it is stored. Another registry may have done so already. Needs the lock of the record. */
export async function adopt<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  row: Row,
  indexed: IndexRow<Entry>,
): Promise<void> {
  const { kind, replica, cache } = collection
  const key = kind.keyOf(row)
  const known = replica.get(key)
  const item = attribute(kind, row, [
    collection.journal.get(key)?.item,
    isTombstone(indexed) ? undefined : indexed,
    known,
  ])
  const isKept = (one: Indexed<Entry> | undefined) => one !== undefined && isSame(one, item) && !isOutdated(kind, one)
  cache.set(key, row, kind.sizeOf(item.entry))
  try {
    if (isTombstone(indexed) || !isKept(indexed)) await enter(collection, key, item)
    else if (!isKept(known)) replica.set(item)
  } finally {
    // What is listed here was announced: whoever looks again, because others could not be told, finds nothing new.
    if (!isSame(known, item) && replica.get(key) === item)
      collection.announce(toChangeEvent({ key, before: known, after: item }))
  }
}

/** Who wrote a record is known only of what came through a registry. */
function attribute<Row extends Stamped, Entry extends Sized>(
  kind: RecordKind<Row, Entry>,
  row: Row,
  candidates: readonly (Indexed<Entry> | undefined)[],
): Indexed<Entry> {
  const item = toIndexed(kind, row, undefined)
  const same = candidates.filter((candidate) => candidate?.digest === item.digest)
  const exact = same.find((candidate) => candidate?.entry.registered_at === row.registered_at)
  const { owner } = exact ?? same[0] ?? item
  return owner === undefined ? item : { ...item, owner }
}
