import { Fault } from '@iii/protocol'
import { acceptAbsence, cameBack, removeAgain, watchStore } from './absence.ts'
import { type Books, enter, readRecord } from './books.ts'
import { type Found, type Indexed, isGrave } from './index-rows.ts'
import { isSame, toDifference } from './mirror.ts'
import { isOlder, type RecordKind, type Sized, type Stamped, toIndexed } from './record-kind.ts'

/** So often a record is read anew that another registry writes at the same time. */
const MAX_TRIES = 5

/**
 * Looks at a record that somebody else may have written, and brings the index up to it; announces what was different.
 *
 * @throws Fault when the store cannot be read or written, or may have lost what is not there.
 */
export function reconcile<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  key: string,
): Promise<void> {
  return books.turns.take(key, async () => {
    const requireSameStore = watchStore(books)
    const { row, indexed } = await readBoth(books, key)
    const known = books.mirror.get(key)
    if (row === undefined) return await acceptAbsence(books, key, indexed, requireSameStore)
    if (cameBack(books, row)) return await removeAgain(books, key, row)
    // Whoever wrote an old record may have meant it, but a store that has gone back to an older state did not.
    if (known && isOlder(row, known.entry)) await requireSameStore()
    await adopt(books, row, indexed)
  })
}

/** What is stored of a record, and what the index says of it. To be done in turn. */
export async function readBoth<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  key: string,
): Promise<{ row: Row | undefined; indexed: Found<Entry> }> {
  const { mirror, rows } = books
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const known = mirror.get(key)
    const [row, indexed] = await Promise.all([readRecord(books, key), rows.get(key)])
    // What another registry did meanwhile may be newer than what was read.
    if (mirror.get(key) === known) return { row, indexed }
  }
  throw new Fault('unavailable', `The ${books.kind.what} ${key} changes all the time`)
}

/** Makes the index describe a record as it is stored. Another registry may have done so already. To be done in turn. */
export async function adopt<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  row: Row,
  indexed: Found<Entry>,
): Promise<void> {
  const { kind, mirror, cache } = books
  const key = kind.keyOf(row)
  const known = mirror.get(key)
  const item = attribute(kind, row, [books.written.get(key)?.item, isGrave(indexed) ? undefined : indexed, known])
  cache.set(key, row, item.entry.bytes)
  try {
    if (isGrave(indexed) || !isSame(indexed, item)) await enter(books, key, item)
    else if (!isSame(known, item)) mirror.set(item)
  } finally {
    // What is listed here was announced: whoever looks again, because others could not be told, finds nothing new.
    if (!isSame(known, item) && mirror.get(key) === item)
      books.announce(toDifference({ key, before: known, after: item }))
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
