import type { UpdateOp } from '@iii/sdk'

/**
 * The shards that are being written to. Each registry marks its own in the head of the index: the count that tells of a row may be there
 * before the row is, so whoever reads a marked shard reads it again next time.
 */
export interface OpenShards {
  /** A row of the shard is about to be stored. */
  enter(shard: number): void
  /** That is over, whatever came of it. */
  leave(shard: number): void
  /** Whether a mark of ours is not needed any more. */
  readonly hasIdle: boolean
  /** Whether the head has marks of registries that went away. */
  readonly hasAbandoned: boolean
  /**
   * The marks that change with a count of these shards.
   *
   * @returns the shards that have to be counted too, because they are not marked any more
   */
  change(counted: ReadonlySet<number>): MarkChange
  /** Takes note of a head that was read. @returns the shards that others have marked in it */
  see(head: Readonly<Record<string, unknown>>): ReadonlySet<number>
}

/** Marks that are set and removed in one step. */
export interface MarkChange {
  ops: readonly UpdateOp[]
  unmarked: readonly number[]
  /** @param isDone false when nobody knows whether it was done */
  settle(isDone: boolean): void
}

/** A mark that stays what it is for so long belongs to a registry that went away: no write takes so long. In milliseconds. */
const ABANDONED_MS = 60_000
/** One that is needed for longer is said anew before that. */
const AGAIN_MS = 10_000
const UNKNOWN = Number.NEGATIVE_INFINITY

const FIELD = /^w(\d{1,2}):/

/** @param writer tells the marks of this registry from those of others */
export function createOpenShards(writer: string, now: () => number = () => performance.now()): OpenShards {
  const writes = new Map<number, number>()
  /** When each mark of ours was said last. */
  const marks = new Map<number, number>()
  /** Since when each mark of others has been what it is. */
  const foreign = new Map<string, { value: unknown; since: number }>()
  const fieldOf = (shard: number) => `w${shard}:${writer}`
  const toIdle = () => [...marks.keys()].filter((shard) => !writes.has(shard))
  const toAbandoned = () => [...foreign].flatMap(([field, { since }]) => (now() - since < ABANDONED_MS ? [] : [field]))

  return {
    enter: (shard) => void writes.set(shard, (writes.get(shard) ?? 0) + 1),
    leave(shard) {
      const left = (writes.get(shard) ?? 0) - 1
      if (left > 0) writes.set(shard, left)
      else writes.delete(shard)
    },
    get hasIdle() {
      return toIdle().length > 0
    },
    get hasAbandoned() {
      return toAbandoned().length > 0
    },
    change(counted) {
      const at = now()
      const idle = toIdle()
      const abandoned = toAbandoned()
      const due = [...counted].filter((shard) => writes.has(shard) && at - (marks.get(shard) ?? UNKNOWN) >= AGAIN_MS)
      for (const shard of due) marks.set(shard, at)
      return {
        ops: [
          ...due.map((shard): UpdateOp => ({ type: 'set', path: fieldOf(shard), value: Date.now() })),
          ...[...idle.map(fieldOf), ...abandoned].map((path): UpdateOp => ({ type: 'remove', path })),
        ],
        unmarked: [...idle, ...abandoned.map(shardOf)],
        settle(isDone) {
          if (isDone) for (const shard of idle) marks.delete(shard)
          else for (const shard of [...due, ...idle]) marks.set(shard, UNKNOWN)
        },
      }
    },
    see(head) {
      const own = `:${writer}`
      const isForeign = (field: string) => field.startsWith('w') && !field.endsWith(own) && FIELD.test(field)
      const fields = Object.keys(head).filter(isForeign)
      for (const field of foreign.keys()) if (!fields.includes(field)) foreign.delete(field)
      for (const field of fields) {
        if (foreign.get(field)?.value !== head[field]) foreign.set(field, { value: head[field], since: now() })
      }
      return new Set(fields.map(shardOf))
    },
  }
}

function shardOf(field: string): number {
  return Number(FIELD.exec(field)?.[1])
}
