import { Fault } from '@iii/protocol'
import { type Collection, deleteBody, enter, findCached } from './collection.ts'
import { type IndexRow, isTombstone, toShard } from './index-rows.ts'
import { type Indexed, toIndexed } from './indexed.ts'
import type { Sized, Stamped } from './record-kind.ts'
import { isSetBack, toChangeEvent } from './replica.ts'
import { callStore } from './store-fault.ts'

/** Records that are not stored any more, and those that should not be. Everything here needs the lock of the record. */

/**
 * Brings the index up to a record that is not stored.
 *
 * @throws Fault `unavailable` when the store may have lost it.
 */
export async function acceptAbsence<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  key: string,
  indexed: IndexRow<Entry>,
  requireSameStore: () => Promise<void>,
): Promise<void> {
  const known = collection.replica.get(key) ?? (isTombstone(indexed) ? undefined : indexed)
  if (known === undefined) return
  if (known.lost) return await giveBack(collection, known)
  await requireSameStore()
  await dismiss(collection, key, isTombstone(indexed))
}

/** Another registry did not have the body any more; this one may. */
async function giveBack<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  known: Indexed<Entry>,
): Promise<void> {
  const row = findCached(collection, known)
  if (row === undefined) return
  await callStore('state::set', () => collection.bodies.set(known.key, row))
  await enter(collection, known.key, toIndexed(collection.kind, row, known.owner))
}

/**
 * Looks at the store now, before a record is read. A record that is not there was removed, if the store is still the same afterwards.
 *
 * @returns a function that throws Fault `unavailable` when the store was emptied or set back since, as it is given its records back first, and
 *   while another registry may be writing the record
 */
export function watchStore<Row extends Stamped, Entry extends Sized>(
  { head, replica, verification }: Collection<Row, Entry>,
  key: string,
): () => Promise<void> {
  const { epoch } = replica
  const floor = replica.counters()
  const { generation } = verification
  return async () => {
    const found = await head.read()
    // The entry of a record may be stored before its text is.
    if (found.open.has(toShard(key))) throw new Fault('unavailable', 'Another registry is writing there')
    const isSame = found.epoch === epoch && !isSetBack(found, floor)
    if (isSame && verification.generation === generation && !verification.isDue) return
    throw new Fault('unavailable', 'The store may have lost records: they are written back first')
  }
}

/** Whether a record is there again that was removed, written back by a registry that did not know: one that was registered anew has another stamp. */
export function cameBack<Row extends Stamped, Entry extends Sized>(
  { kind, removed, verification }: Collection<Row, Entry>,
  row: Row,
): boolean {
  return verification.isFreshlyRepaired && removed.get(kind.keyOf(row))?.registered_at === row.registered_at
}

/**
 * Removes a record that came back by itself.
 *
 * @throws Fault `unavailable` when somebody registered it anew at that very moment: it stays, and has to be looked at again.
 */
export async function removeAgain<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  key: string,
  row: Row | undefined,
): Promise<void> {
  if (row !== undefined) {
    await deleteBody(collection, key, (deleted) => {
      const { registered_at } = deleted ?? row
      if (registered_at === row.registered_at) return
      throw new Fault('unavailable', `The ${collection.kind.what} ${key} was registered anew`)
    })
  }
  await dismiss(collection, key, false)
}

/** Drops what is known of a record. @param isMarked whether somebody has removed it, so that the index says so already */
export async function dismiss<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  key: string,
  isMarked: boolean,
): Promise<void> {
  const { replica, cache, removed, announce } = collection
  const known = replica.get(key)
  if (isMarked) replica.delete(key)
  try {
    if (!isMarked) await enter(collection, key, undefined)
  } finally {
    cache.delete(key)
    // As with what is listed: whoever looks again finds nothing new.
    if (known && replica.get(key) === undefined) announce(toChangeEvent({ key, before: known, after: undefined }))
  }
  if (known && isMarked) removed.note(key, known.entry)
}
