import type { Counted, Head } from './head-row.ts'
import { SHARDS, type Shard, toShard } from './index-rows.ts'
import { type Indexed, isSame } from './indexed.ts'
import type { Sized } from './record-kind.ts'

/** How a record differs from what was known of it. */
export interface ChangeEvent {
  key: string
  op: 'register' | 'unregister'
  /** False when only the stamp is another. */
  changed: boolean
  owner: string | undefined
  previousOwner: string | undefined
}

/** The index in memory, with how far each shard was read. */
export interface Replica<Entry> {
  /** Of the index that was read; undefined until it was. */
  epoch: string | undefined
  readonly size: number
  get(key: string): Indexed<Entry> | undefined
  /** All of it, in no order; the same array until something changes. */
  all(): readonly Indexed<Entry>[]
  set(item: Indexed<Entry>): void
  delete(key: string): void
  /** How far each shard was read; -1 for one that has to be read in any case. */
  counters(): readonly number[]
  /** The shards that others changed since they were read, or are changing. */
  movedSince(head: Head): number[]
  /** Takes a count of ours into account, so that it does not look like a change of others. */
  counted(counted: Counted): void
  /** From now on every shard has to be read anew. */
  invalidate(): void
  /** Runs something that reads shards, and tells it what was written here since it began. */
  reading<T>(work: (isOvertaken: IsOvertaken) => Promise<T>): Promise<T>
  /** While a record is being written here, what is read of it is no news of others. */
  holding<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Takes over what was read of a shard when its counter stood there. */
  apply(shard: number, read: Shard<Entry>, counter: number, isOvertaken: IsOvertaken): Applied<Entry>
}

/** What was known of a record, and what is known now. */
export interface Change<Entry> {
  key: string
  before: Indexed<Entry> | undefined
  after: Indexed<Entry> | undefined
}

/** What others did to a shard. */
export interface Applied<Entry> {
  changes: Change<Entry>[]
  /** Keys of records that are not there, though nobody marked them as removed; they stay until somebody has looked. */
  vanished: string[]
}

type IsOvertaken = (key: string) => boolean

/** @param onKnown hears of each entry as soon as it is known here, whoever wrote it */
export function createReplica<Entry extends Sized>(onKnown?: (entry: Entry) => void): Replica<Entry> {
  const shards = Array.from({ length: SHARDS }, () => new Map<string, Indexed<Entry>>())
  const seen: number[] = shards.map(() => -1)
  const writes = createWrites()
  let snapshot: readonly Indexed<Entry>[] | undefined
  const shardOf = (key: string) => shards[toShard(key)] ?? new Map<string, Indexed<Entry>>()

  function put(key: string, item: Indexed<Entry> | undefined): void {
    if (item) shardOf(key).set(key, item)
    else shardOf(key).delete(key)
    snapshot = undefined
    if (item) onKnown?.(item.entry)
  }

  return {
    epoch: undefined,
    get size() {
      return shards.reduce((sum, { size }) => sum + size, 0)
    },
    get: (key) => shardOf(key).get(key),
    all() {
      snapshot ??= shards.flatMap((items) => [...items.values()])
      return snapshot
    },
    set(item) {
      put(item.key, item)
      writes.note(item.key)
    },
    delete(key) {
      put(key, undefined)
      writes.note(key)
    },
    counters: () => [...seen],
    movedSince: ({ counters, open }) =>
      counters.flatMap((counter, shard) => (counter > (seen[shard] ?? -1) || open.has(shard) ? [shard] : [])),
    counted({ by, head }) {
      for (const [shard, raised] of by) {
        const counter = head.counters[shard] ?? 0
        if (seen[shard] === counter - raised) seen[shard] = counter
      }
    },
    invalidate: () => void seen.fill(-1),
    reading: writes.during,
    holding: writes.holding,
    apply(shard, read, counter, isOvertaken) {
      const known = shards[shard] ?? new Map<string, Indexed<Entry>>()
      const { differing, vanished } = compare(known, read)
      const fresh = differing.filter((key) => !isOvertaken(key))
      const changes = fresh.map((key) => ({ key, before: known.get(key), after: read.live.get(key) }))
      for (const { key, after } of changes) put(key, after)
      // What was written here meanwhile may be newer than what was read: only another reading tells.
      const isSettled = fresh.length === differing.length && vanished.length === 0
      seen[shard] = isSettled ? counter : -1
      return { changes, vanished: vanished.filter((key) => !isOvertaken(key)) }
    },
  }
}

/** Whether a store that was read up to `floor` has gone back to what it was before. */
export function isSetBack({ counters }: Head, floor: readonly number[]): boolean {
  return counters.some((counter, shard) => counter < (floor[shard] ?? -1))
}

/** Knows what was written here while something was being read. */
function createWrites() {
  const writtenAt = new Map<string, number>()
  const held = new Set<string>()
  let writes = 0
  let readings = 0
  return {
    note(key: string): void {
      writes += 1
      if (readings > 0) writtenAt.set(key, writes)
    },
    async during<T>(read: (isOvertaken: IsOvertaken) => Promise<T>): Promise<T> {
      const start = writes
      readings += 1
      try {
        return await read((key) => held.has(key) || (writtenAt.get(key) ?? 0) > start)
      } finally {
        readings -= 1
        if (readings === 0) writtenAt.clear()
      }
    },
    /** Needs the lock of the record. */
    async holding<T>(key: string, work: () => Promise<T>): Promise<T> {
      held.add(key)
      try {
        return await work()
      } finally {
        held.delete(key)
      }
    },
  }
}

function compare<Entry extends Sized>(known: ReadonlyMap<string, Indexed<Entry>>, { live, tombstones }: Shard<Entry>) {
  const differing = [...live.values()].filter((item) => !isSame(known.get(item.key), item)).map(({ key }) => key)
  const missing = [...known.keys()].filter((key) => !live.has(key))
  return {
    differing: [...differing, ...missing.filter((key) => tombstones.has(key))],
    vanished: missing.filter((key) => !tombstones.has(key)),
  }
}

export function toChangeEvent<Entry>({ key, before, after }: Change<Entry>): ChangeEvent {
  return {
    key,
    op: after ? 'register' : 'unregister',
    changed: before?.digest !== after?.digest,
    owner: after?.owner,
    previousOwner: before?.owner,
  }
}
