import { Fault } from '@iii/protocol'
import type { Books } from './books.ts'
import type { Head } from './head-row.ts'
import type { Shard } from './index-rows.ts'
import { type Change, isSetBack, type Taken, toDifference } from './mirror.ts'
import { reconcile } from './reconcile.ts'
import type { Sized, Stamped } from './record-kind.ts'
import { repairAll, repairRecent } from './repair.ts'
import { compareAll, createTakeOver } from './take-over.ts'
import { createShared, forEach } from './turns.ts'

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
  books: Books<Row, Entry>,
  { startsFresh, onForeign }: SynchroniseOptions<Entry>,
): Synchronised {
  const { head, mirror, doubt, written } = books
  const takeOver = createTakeOver(books)
  let owesRepair = false
  let owesComparison = true

  async function refresh(): Promise<void> {
    await head.settle()
    for (let steps = 0; steps < MAX_STEPS; steps += 1) if (await step()) return
    throw new Fault('unavailable', 'The store came back older than it was, again and again')
  }

  /** @returns false when the store was cut off or emptied while it was read, so that nothing of it may be believed. */
  async function step(): Promise<boolean> {
    const { level } = doubt
    const isFirst = mirror.epoch === undefined
    const current = isFirst ? await begin() : await repair()
    const taken = current.epoch === undefined ? undefined : await readMoved(books, current, level)
    if (taken === undefined) return false
    mirror.epoch = current.epoch
    doubt.settle(level)
    written.goOn()
    if (isFirst) await catchUp(current)
    else await tell(taken)
    return true
  }

  /** Gives the store an index, if it has none. @returns the head to go on with */
  async function begin(): Promise<Head> {
    const { epoch } = await head.read()
    if (epoch === undefined) {
      if (!startsFresh()) await takeOver()
      await head.found(startsFresh())
      owesComparison = false
    }
    // What was registered before the store could be read for the first time may be gone by now.
    await repairRecent(books)
    return await head.read()
  }

  /** Makes a store that lost something hold what it should. @returns the head to go on with */
  async function repair(): Promise<Head> {
    const floor = mirror.counters()
    const found = await head.read()
    // Half a repair would leave a store behind that looks whole.
    owesRepair ||= found.epoch !== mirror.epoch || isSetBack(found, floor)
    if (!owesRepair && !doubt.isOpen) return found
    if (owesRepair) await repairAll(books)
    await repairRecent(books)
    if (found.epoch === undefined) await head.found(false)
    owesRepair = false
    doubt.repaired()
    mirror.doubt()
    return await head.read()
  }

  /** Others may have written while no registry was there. */
  async function catchUp({ isFresh }: Head): Promise<void> {
    if (isFresh || !owesComparison) return
    const reason = (error: unknown) => (error instanceof Error ? error.message : String(error))
    await compareAll(books).catch((error: unknown) =>
      books.log.warn({ scope: books.scope, reason: reason(error) }, 'the index was not compared with what is stored'),
    )
  }

  async function tell(taken: readonly Taken<Entry>[]): Promise<void> {
    for (const change of taken.flatMap(({ changes }) => changes)) {
      onForeign(change)
      books.announce(toDifference(change))
    }
    const vanished = taken.flatMap((shard) => shard.vanished)
    await forEach(vanished, AT_ONCE, (key) => reconcile(books, key))
  }

  return { refresh: createShared(refresh) }
}

/** Reads the shards that moved. @returns undefined when the store turned out to be another one when they were read. */
async function readMoved<Row extends Stamped, Entry extends Sized>(
  books: Books<Row, Entry>,
  current: Head,
  level: number,
): Promise<Taken<Entry>[] | undefined> {
  const { mirror, head, rows, doubt } = books
  const moved = mirror.movedSince(current)
  if (moved.length === 0) return doubt.level === level ? [] : undefined
  return await mirror.reading(async (isOvertaken) => {
    const read = await Promise.all(moved.map(async (shard) => [shard, await rows.read(shard)] as const))
    const after = await head.read()
    if (doubt.level !== level || after.epoch !== current.epoch || isSetBack(after, current.counters)) return undefined
    clearGraves(books, read)
    return read.map(([shard, contents]) => mirror.take(shard, contents, current.counters[shard] ?? 0, isOvertaken))
  })
}

/** Nobody waits for this: a mark that stays costs a few bytes, and the next reading tries again. */
function clearGraves<Row extends Stamped, Entry extends Sized>(
  { rows, head, log }: Books<Row, Entry>,
  read: readonly (readonly [shard: number, contents: Shard<Entry>])[],
): void {
  const clear = async (shard: number, { graves }: Shard<Entry>) => {
    // Should somebody have registered the record at that very moment, the count makes him look.
    if (await rows.clear(shard, graves)) await head.bump(shard)
  }
  for (const [shard, contents] of read) {
    clear(shard, contents).catch((error: unknown) =>
      log.debug({ reason: String(error) }, 'marks of removed records stay'),
    )
  }
}
