import { removeAgain } from './absence.ts'
import type { Collection } from './collection.ts'
import { forEach } from './concurrency.ts'
import { isTombstone, SHARDS, type Shard, toShard } from './index-rows.ts'
import type { Indexed } from './indexed.ts'
import { readBoth } from './reconcile.ts'
import { isGoneWith, isOlder, type Sized, type Stamped } from './record-kind.ts'
import { type Restoration, restore } from './restore.ts'

/** So many records are written back side by side. */
const AT_ONCE = 64

/** Gives a store that was emptied, or that has gone back to an older state, what is still known of its records; what others wrote there since stays. */
export async function repairAll<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
): Promise<void> {
  const { rows, replica, removed, kind } = collection
  const shards = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => rows.read(shard)))
  const shardOf = (key: string) => shards[toShard(key)]
  for (const [key, stamp] of removed.entries()) await keepRemoved(collection, key, stamp, shardOf(key))
  const doubtful = replica.all().filter((item) => !isThere(item, shardOf(item.key)))
  const outcomes = await forEach(doubtful, AT_ONCE, ({ key }) => restore(collection, key))
  report(
    collection,
    outcomes,
    `the engine came back without its state: wrote the ${kind.what}s back that were still known`,
  )
}

/** Holds what was written and removed in the last seconds against the store: an engine that crashed may have forgotten it. */
export async function repairRecent<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
): Promise<void> {
  const { journal, removed, replica, kind } = collection
  const outcomes = await forEach(journal.entries(), AT_ONCE, async ([key, { item }]): Promise<Restoration> => {
    // After a removal another registry may have registered it again.
    if (item ?? replica.get(key)) return await restore(collection, key)
    const stamp = removed.get(key)
    if (stamp) await takeOut(collection, key, stamp)
    return 'kept'
  })
  report(
    collection,
    outcomes,
    `the engine came back without the last ${kind.what}s: wrote those back that were still known`,
  )
}

function report<Row extends Stamped, Entry extends Sized>(
  { log, scope }: Collection<Row, Entry>,
  outcomes: readonly Restoration[],
  text: string,
): void {
  const count = (which: Restoration) => outcomes.filter((outcome) => outcome === which).length
  const [restored, lost] = [count('restored'), count('lost')]
  if (restored + lost > 0) log.warn({ scope, restored, lost }, text)
}

function isThere<Entry extends Sized>(item: Indexed<Entry>, shard: Shard<Entry> | undefined): boolean {
  const live = shard?.live.get(item.key)
  if (live === undefined) return false
  return !isOlder(live.entry, item.entry) && (live.lost !== true || item.lost === true)
}

/** What was removed stays removed, and those who were away meanwhile learn of it. */
async function keepRemoved<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  key: string,
  stamp: Stamped,
  shard: Shard<Entry> | undefined,
): Promise<void> {
  const live = shard?.live.get(key)
  if (live !== undefined && isGoneWith(live.entry, stamp)) await takeOut(collection, key, stamp)
  else if (live === undefined && !shard?.tombstones.has(key))
    await collection.mutex.run(key, () => markRemoved(collection, key))
}

async function markRemoved<Row extends Stamped, Entry extends Sized>(
  { rows, replica }: Collection<Row, Entry>,
  key: string,
): Promise<void> {
  if (replica.get(key) === undefined) await rows.putTombstone(key)
}

/** Removes a record that came back by itself, as it was last or before that; one that was registered anew stays. */
function takeOut<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  key: string,
  removed: Stamped,
): Promise<void> {
  return collection.mutex.run(key, async () => {
    const { row, indexed } = await readBoth(collection, key)
    if (row !== undefined && !isGoneWith(row, removed)) return
    const isListed = indexed !== undefined && !isTombstone(indexed) && isGoneWith(indexed.entry, removed)
    if (row !== undefined || isListed) await removeAgain(collection, key, row)
  })
}
