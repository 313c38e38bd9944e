import { Fault } from '@iii/protocol'
import { type Books, enter, findCached } from './books.ts'
import { explain } from './explain.ts'
import { type Found, type Indexed, isGrave } from './index-rows.ts'
import { isSetBack, toDifference } from './mirror.ts'
import { type Sized, type Stamped, toIndexed } from './record-kind.ts'

/** Records that are not stored any more, and those that should not be. Everything here is to be done in turn. */

/**
 * Brings the index up to a record that is not stored.
 *
 * @throws Fault `unavailable` when the store may have lost it.
 */
export async function acceptAbsence<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  key: string,
  indexed: Found<Entry>,
  requireSameStore: () => Promise<void>,
): Promise<void> {
  const known = books.mirror.get(key) ?? (isGrave(indexed) ? undefined : indexed)
  if (known === undefined) return
  if (known.lost) return await giveBack(books, known)
  await requireSameStore()
  await dismiss(books, key, isGrave(indexed))
}

/** Another registry did not have the body any more; this one may. */
async function giveBack<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  known: Indexed<Entry>,
): Promise<void> {
  const row = findCached(books, known)
  if (row === undefined) return
  await explain('state::set', () => books.bodies.set(known.key, row))
  await enter(books, known.key, toIndexed(books.kind, row, known.owner))
}

/**
 * Looks at the store now, before a record is read. A record that is not there was removed, if the store is still the same afterwards.
 *
 * @returns a function that throws Fault `unavailable` when the store was emptied or set back since: it is given its records back first.
 */
export function watchStore<Row extends Stamped, Entry extends Sized>({
  head,
  mirror,
  doubt,
}: Books<Row, Entry>): () => Promise<void> {
  const { epoch } = mirror
  const floor = mirror.counters()
  const { level } = doubt
  return async () => {
    const found = await head.read()
    const isSame = found.epoch === epoch && !isSetBack(found, floor)
    if (isSame && doubt.level === level && !doubt.isOpen) return
    throw new Fault('unavailable', 'The store may have lost records: they are written back first')
  }
}

/** Whether a record is there again that was removed, written back by a registry that did not know: one that was registered anew has another stamp. */
export function cameBack<Row extends Stamped, Entry extends Sized>(
  { kind, removed, doubt }: Books<Row, Entry>,
  row: Row,
): boolean {
  return doubt.isFreshlyRepaired && removed.get(kind.keyOf(row))?.registered_at === row.registered_at
}

/**
 * Removes a record that came back by itself.
 *
 * @throws Fault `unavailable` when somebody registered it anew at that very moment: it stays, and has to be looked at again.
 */
export async function removeAgain<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  key: string,
  row: Row | undefined,
): Promise<void> {
  const { bodies, kind } = books
  if (row !== undefined) {
    const removed = await explain('state::delete', () => bodies.delete(key))
    const { registered_at } = kind.schema.safeParse(removed).data ?? row
    if (registered_at !== row.registered_at) {
      await explain('state::set', () => bodies.set(key, removed))
      throw new Fault('unavailable', `The ${kind.what} ${key} was registered anew`)
    }
  }
  await dismiss(books, key, false)
}

/** Drops what is known of a record. @param isMarked whether somebody has removed it, so that the index says so already */
export async function dismiss<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  key: string,
  isMarked: boolean,
): Promise<void> {
  const { mirror, cache, removed, announce } = books
  const known = mirror.get(key)
  if (isMarked) mirror.delete(key)
  try {
    if (!isMarked) await enter(books, key, undefined)
  } finally {
    cache.delete(key)
    // As with what is listed: whoever looks again finds nothing new.
    if (known && mirror.get(key) === undefined) announce(toDifference({ key, before: known, after: undefined }))
  }
  if (known && isMarked) removed.note(key, known.entry)
}
