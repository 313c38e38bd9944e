import { Fault } from '@iii/protocol'
import { messageOf } from '@iii/sdk'
import { compareAll, createBackfill } from './backfill.ts'
import type { Collection } from './collection.ts'
import { coalesce, forEach } from './concurrency.ts'
import type { Head } from './head-row.ts'
import type { Shard } from './index-rows.ts'
import { reconcile } from './reconcile.ts'
import type { Sized, Stamped } from './record-kind.ts'
import { repairAll, repairRecent } from './repair.ts'
import { type Applied, type Change, isSetBack, toChangeEvent } from './replica.ts'

/** Keeps what is known of the records in step with the store. */
export interface Synchronised {
  /**
   * Reads the head of the index, and what others changed since it was read last.
   *
   * @throws Fault with the reason when the store cannot be read.
   */
  refresh(): Promise<void>
}

export interface SynchroniseOptions<Entry> {
  /** Whether a store without an index gets an empty one, whatever records it holds. */
  startsFresh(): boolean
  /** Hears of changes that others made, before they are announced. */
  onForeign(change: Change<Entry>): void
}

/** A store that changes under our hands so often is none that can be read. */
const MAX_STEPS = 5
/** So many records that vanished are looked at side by side. */
const AT_ONCE = 64

export function createSynchronised<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  { startsFresh, onForeign }: SynchroniseOptions<Entry>,
): Synchronised {
  const { head, replica, verification, journal } = collection
  const backfill = createBackfill(collection)
  let owesRepair = false
  let owesComparison = true

  async function refresh(): Promise<void> {
    for (let steps = 0; steps < MAX_STEPS; steps += 1) if (await step()) return await head.settle()
    throw new Fault('unavailable', 'The store came back older than it was, again and again')
  }

  /** @returns false when the store was cut off or emptied while it was read, so that nothing of it may be believed. */
  async function step(): Promise<boolean> {
    const { generation } = verification
    const isFirst = replica.epoch === undefined
    const current = isFirst ? await begin() : await repair()
    const applied = current.epoch === undefined ? undefined : await readMoved(collection, current, generation)
    if (applied === undefined) return false
    replica.epoch = current.epoch
    verification.complete(generation)
    journal.goOn()
    if (isFirst) await catchUp(current)
    else await tell(applied)
    return true
  }

  /** Gives the store an index, if it has none. @returns the head to go on with */
  async function begin(): Promise<Head> {
    const { epoch } = await head.read()
    if (epoch === undefined) {
      if (!startsFresh()) await backfill()
      await head.create(startsFresh())
      owesComparison = false
    }
    // What was registered before the store could be read for the first time may be gone by now.
    await repairRecent(collection)
    return await head.read()
  }

  /** Makes a store that lost something hold what it should. @returns the head to go on with */
  async function repair(): Promise<Head> {
    const floor = replica.counters()
    const found = await head.read()
    // Half a repair would leave a store behind that looks whole.
    owesRepair ||= found.epoch !== replica.epoch || isSetBack(found, floor)
    if (!owesRepair && !verification.isDue) return found
    if (owesRepair) await repairAll(collection)
    await repairRecent(collection)
    if (found.epoch === undefined) await head.create(false)
    owesRepair = false
    verification.repaired()
    replica.invalidate()
    return await head.read()
  }

  /** Others may have written while no registry was there. */
  async function catchUp({ isFresh }: Head): Promise<void> {
    if (isFresh || !owesComparison) return
    await compareAll(collection).catch((error: unknown) =>
      collection.log.warn(
        { scope: collection.scope, reason: messageOf(error) },
        'the index was not compared with what is stored',
      ),
    )
  }

  async function tell(applied: readonly Applied<Entry>[]): Promise<void> {
    for (const change of applied.flatMap(({ changes }) => changes)) {
      onForeign(change)
      collection.announce(toChangeEvent(change))
    }
    const vanished = applied.flatMap((shard) => shard.vanished)
    await forEach(vanished, AT_ONCE, (key) => reconcile(collection, key))
  }

  return { refresh: coalesce(refresh) }
}

/** Reads the shards that moved. @returns undefined when the store turned out to be another one when they were read. */
async function readMoved<Row extends Stamped, Entry extends Sized>(
  collection: Collection<Row, Entry>,
  current: Head,
  generation: number,
): Promise<Applied<Entry>[] | undefined> {
  const { replica, head, rows, verification } = collection
  const moved = replica.movedSince(current)
  if (moved.length === 0) return verification.generation === generation ? [] : undefined
  return await replica.reading(async (isOvertaken) => {
    const read = await Promise.all(moved.map(async (shard) => [shard, await rows.read(shard)] as const))
    const after = await head.read()
    if (verification.generation !== generation || after.epoch !== current.epoch || isSetBack(after, current.counters))
      return undefined
    purgeTombstones(collection, read)
    return read.map(([shard, contents]) => replica.apply(shard, contents, current.counters[shard] ?? 0, isOvertaken))
  })
}

/** Nobody waits for this: a mark that stays costs a few bytes, and the next reading tries again. */
function purgeTombstones<Row extends Stamped, Entry extends Sized>(
  { rows, head, log }: Collection<Row, Entry>,
  read: readonly (readonly [shard: number, contents: Shard<Entry>])[],
): void {
  const purge = async (shard: number, { tombstones }: Shard<Entry>) => {
    // Should somebody have registered the record at that very moment, the count makes him look.
    if (await rows.purge(shard, tombstones)) await head.bump(shard)
  }
  for (const [shard, contents] of read) {
    purge(shard, contents).catch((error: unknown) =>
      log.debug({ reason: String(error) }, 'marks of removed records stay'),
    )
  }
}
