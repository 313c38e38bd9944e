import { dismiss } from './absence.ts'
import { type Collection, enter, findCached } from './collection.ts'
import { type IndexRow, isTombstone } from './index-rows.ts'
import { type Indexed, toIndexed } from './indexed.ts'
import { adopt, readBoth } from './reconcile.ts'
import { isOlder, type Sized, type Stamped } from './record-kind.ts'
import { callStore } from './store-fault.ts'

/** What became of a record that the store may have lost. */
export type Restoration = 'kept' | 'restored' | 'lost'

/** Lets the newer one win of what is known of a record and what is stored. */
export function restore<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  key: string,
): Promise<Restoration> {
  return collection.mutex.run(key, async () => {
    const { row: stored, indexed } = await readBoth(collection, key)
    const known = collection.replica.get(key)
    if (known === undefined) return 'kept'
    if (stored && !isOlder(stored, known.entry)) await adopt(collection, stored, indexed)
    else if (isRemovedSince(known, indexed)) await dismiss(collection, key, true)
    else return await writeBack(collection, known, stored, indexed)
    return 'kept'
  })
}

function isRemovedSince<Entry extends Sized>(known: Indexed<Entry>, indexed: IndexRow<Entry>): boolean {
  return isTombstone(indexed) && indexed.removed_at > Date.parse(known.entry.registered_at)
}

async function writeBack<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  known: Indexed<Entry>,
  older: Row | undefined,
  indexed: IndexRow<Entry>,
): Promise<Restoration> {
  const { kind, bodies } = collection
  const { key } = known
  const row = findCached(collection, known)
  if (row) {
    await callStore('state::set', () => bodies.set(key, row))
    await enter(collection, key, toIndexed(kind, row, known.owner))
    return 'restored'
  }
  // An older text is better than none.
  if (older) await adopt(collection, older, indexed)
  else await enter(collection, key, { ...known, lost: true })
  return older ? 'kept' : 'lost'
}
