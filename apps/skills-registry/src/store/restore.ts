import { dismiss } from './absence.ts'
import { type Books, enter, findCached } from './books.ts'
import { explain } from './explain.ts'
import { type Found, type Indexed, isGrave } from './index-rows.ts'
import { adopt, readBoth } from './reconcile.ts'
import { isOlder, type Sized, type Stamped, toIndexed } from './record-kind.ts'

/** What became of a record that the store may have lost. */
export type Outcome = 'kept' | 'restored' | 'lost'

/** Lets the newer one win of what is known of a record and what is stored. */
export function restore<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  key: string,
): Promise<Outcome> {
  return books.turns.take(key, async () => {
    const { row: stored, indexed } = await readBoth(books, key)
    const known = books.mirror.get(key)
    if (known === undefined) return 'kept'
    if (stored && !isOlder(stored, known.entry)) await adopt(books, stored, indexed)
    else if (isRemovedSince(known, indexed)) await dismiss(books, key, true)
    else return await writeBack(books, known, stored, indexed)
    return 'kept'
  })
}

function isRemovedSince<Entry extends Sized>(known: Indexed<Entry>, indexed: Found<Entry>): boolean {
  return isGrave(indexed) && indexed.removed_at > Date.parse(known.entry.registered_at)
}

async function writeBack<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  known: Indexed<Entry>,
  older: Row | undefined,
  indexed: Found<Entry>,
): Promise<Outcome> {
  const { kind, bodies } = books
  const { key } = known
  const row = findCached(books, known)
  if (row) {
    await explain('state::set', () => bodies.set(key, row))
    await enter(books, key, toIndexed(kind, row, known.owner))
    return 'restored'
  }
  // An older text is better than none.
  if (older) await adopt(books, older, indexed)
  else await enter(books, key, { ...known, lost: true })
  return older ? 'kept' : 'lost'
}
