import { randomUUID } from 'node:crypto'
import { isRecord } from '@iii/protocol'
import type { StateScope, UpdateOp } from '@iii/sdk'
import { SHARDS } from './index-rows.ts'
import { createOpenShards } from './open-shards.ts'
import { callStore } from './store-fault.ts'

/** What tells whether the index changed: one counter for each shard, raised by whoever wrote there. */
export interface Head {
  /** Chosen when the index was built; another one means that the store was emptied since. */
  epoch: string | undefined
  /** Whether the index was begun empty, beside records that it does not know of. */
  isFresh: boolean
  counters: readonly number[]
  /** The shards that other registries are writing to. */
  open: ReadonlySet<number>
}

/** A count of ours: by how much each shard was raised, and the head after it. */
export interface Counted {
  by: ReadonlyMap<number, number>
  head: Head
}

/** The one small row that is read to know whether anything changed. It is only counted up, never written as a whole while it is a head. */
export interface HeadRow {
  /** @throws Fault with the reason when the store cannot be read. */
  read(): Promise<Head>
  /**
   * Counts a change of a shard, whose index row must be stored already. Those who come while a count is under way share the next one.
   *
   * @throws Fault with the reason when the store did not accept it; it is counted with the next one then.
   */
  bump(shard: number): Promise<void>
  /**
   * Counts a change of a shard whose index row is being stored at the same time, and marks the shard until that is over: readers who see
   * the count before the row look again.
   */
  open(shard: number): OpenedShard
  /** Counts what could not be counted when it was due. */
  settle(): Promise<void>
  /** Takes marks away that are not needed any more. */
  close(): void
  /** Marks the index as built. @param isFresh beside records that it does not know of */
  create(isFresh: boolean): Promise<void>
}

/** A shard that is marked as being written to. */
export interface OpenedShard {
  /** Resolves when it is counted. Rejects as `bump` does. */
  counted: Promise<void>
  /** The row is stored, or is not going to be. */
  close(): void
}

const KEY = 'head'
/** So long a mark waits for the next count to take it away. In milliseconds. */
const IDLE_MS = 25
/** The counters of the shards. */
const FIELDS = Array.from({ length: SHARDS }, (_, shard) => `s${shard}`)

/** @param onCounted hears after each count of ours how far the counters moved by it. */
export function createHeadRow(scope: StateScope<unknown>, onCounted: (counted: Counted) => void): HeadRow {
  let waiting: { shards: Map<number, number>; done: Promise<void> } | undefined
  let last: Promise<unknown> = Promise.resolve()
  const owed = new Map<number, number>()
  const shards = createOpenShards(randomUUID().slice(0, 8))
  let timer: NodeJS.Timeout | undefined
  const update = (ops: readonly UpdateOp[]) => updateHead(scope, ops)

  async function count(by: Map<number, number>): Promise<void> {
    add(by, owed)
    owed.clear()
    const marks = shards.change(new Set(by.keys()))
    for (const shard of marks.unmarked) add(by, new Map([[shard, 1]]))
    if (by.size === 0) return
    const raises = [...by].map(([shard, raise]): UpdateOp => ({ type: 'increment', path: field(shard), by: raise }))
    try {
      const { newValue, errors } = await update([...raises, ...marks.ops])
      if (errors.length === 0) onCounted({ by, head: toHead(newValue) })
      // Somebody wrote a word where a number belongs. Any other number tells that something changed.
      else await update([...by.keys()].map((shard) => ({ type: 'set', path: field(shard), value: Date.now() })))
      marks.settle(true)
    } catch (error) {
      marks.settle(false)
      add(owed, by)
      throw error
    }
  }

  /** What cannot be done now is done with the next count. */
  function sweep(): void {
    clearTimeout(timer)
    timer = undefined
    if (shards.hasIdle) share(new Map()).catch(() => undefined)
  }

  function toHead(value: unknown): Head {
    const row = isRecord(value) ? value : {}
    const { epoch, fresh } = row
    return {
      epoch: typeof epoch === 'string' ? epoch : undefined,
      isFresh: fresh === true,
      counters: FIELDS.map((field) => toCounter(row[field])),
      open: shards.see(row),
    }
  }

  function share(raises: ReadonlyMap<number, number>): Promise<void> {
    const batch = waiting ?? { shards: new Map<number, number>(), done: Promise.resolve() }
    add(batch.shards, raises)
    if (waiting) return waiting.done
    waiting = batch
    batch.done = last.then(() => {
      waiting = undefined
      return count(batch.shards)
    })
    last = batch.done.catch(() => {})
    return batch.done
  }

  return {
    read: async () => toHead(await callStore('state::get', () => scope.get(KEY))),
    bump: (shard) => share(new Map([[shard, 1]])),
    open(shard) {
      shards.enter(shard)
      return {
        counted: share(new Map([[shard, 1]])),
        close() {
          shards.leave(shard)
          timer ??= setTimeout(sweep, IDLE_MS).unref()
        },
      }
    },
    settle: async () => {
      if (owed.size > 0 || shards.hasAbandoned) await share(new Map())
    },
    close: sweep,
    async create(isFresh) {
      const value = { epoch: randomUUID(), fresh: isFresh }
      const { newValue } = await update([{ type: 'merge', value }])
      // Somebody wrote something there that is no object: the engine merges nothing into that, and does not say so.
      if (toHead(newValue).epoch !== value.epoch) await callStore('state::set', () => scope.set(KEY, value))
    },
  }
}

async function updateHead(scope: StateScope<unknown>, ops: readonly UpdateOp[]) {
  const apply = () => callStore('state::update', () => scope.update(KEY, ops))
  const result = await apply()
  if (isRecord(result.newValue)) return result
  // Somebody wrote something else in its place. Begun anew it has no epoch, so that the index is held against what is known.
  await callStore('state::set', () => scope.set(KEY, {}))
  return await apply()
}

function add(to: Map<number, number>, from: ReadonlyMap<number, number>): void {
  for (const [shard, by] of from) to.set(shard, (to.get(shard) ?? 0) + by)
}

function field(shard: number): string {
  return FIELDS[shard] ?? `s${shard}`
}

function toCounter(value: unknown): number {
  return typeof value === 'number' ? value : 0
}
