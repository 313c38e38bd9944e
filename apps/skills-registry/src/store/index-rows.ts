import type { StateScope } from '@iii/sdk'
import { z } from 'zod'
import type { Indexed } from './indexed.ts'
import type { Sized } from './record-kind.ts'
import { callStore } from './store-fault.ts'

/** The index is spread over so many scopes, so that a change costs the reading of a small part of it. */
export const SHARDS = 32

/** A removed record stays marked for this long, so that no registry that was away writes it back. In milliseconds. */
export const TOMBSTONE_MS = 600_000

/** The mark of a record that was removed. */
export interface Tombstone {
  key: string
  /** Milliseconds since 1970. */
  removed_at: number
}

/** What the index has under a key. */
export type IndexRow<Entry> = Indexed<Entry> | Tombstone | undefined

/** One shard as it is stored. */
export interface Shard<Entry> {
  live: ReadonlyMap<string, Indexed<Entry>>
  tombstones: ReadonlyMap<string, Tombstone>
}

/** The rows of the index, one small row a record: writers of different records never meet. */
export interface IndexRows<Entry> {
  put(item: Indexed<Entry>): Promise<void>
  /** Marks a record as removed. */
  putTombstone(key: string): Promise<void>
  get(key: string): Promise<IndexRow<Entry>>
  /** Reads one shard; rows that are none of ours are left out. */
  read(shard: number): Promise<Shard<Entry>>
  /** Takes the marks away that are old enough. @returns whether there were any */
  purge(shard: number, tombstones: Shard<Entry>['tombstones']): Promise<boolean>
}

export interface IndexOptions<Entry> {
  /** Gives the scope of a shard. */
  open(shard: number): StateScope<unknown>
  /** Of what lists show. */
  schema: z.ZodType<Entry>
  /** Hears of the first row that cannot be read: another version of the registry may have written it. */
  onUnreadable(row: unknown): void
}

export function createIndexRows<Entry extends Sized>(options: IndexOptions<Entry>): IndexRows<Entry> {
  const { open, schema } = options
  const scopes = Array.from({ length: SHARDS }, (_, shard) => open(shard))
  const at = (shard: number) => scopes[shard] ?? open(shard)
  const parse = createParser(schema, options.onUnreadable)

  return {
    async put(item) {
      await callStore('state::set', () => at(toShard(item.key)).set(item.key, item))
    },
    async putTombstone(key) {
      const tombstone: Tombstone = { key, removed_at: Date.now() }
      await callStore('state::set', () => at(toShard(key)).set(key, tombstone))
    },
    get: async (key) => parse(await callStore('state::get', () => at(toShard(key)).get(key))),
    async read(shard) {
      const rows = (await callStore('state::list', () => at(shard).list())).map(parse)
      return {
        live: new Map(rows.flatMap((row) => (row && !isTombstone(row) ? [[row.key, row]] : []))),
        tombstones: new Map(rows.flatMap((row) => (row && isTombstone(row) ? [[row.key, row]] : []))),
      }
    },
    async purge(shard, tombstones) {
      const old = [...tombstones.values()].filter(({ removed_at }) => Date.now() - removed_at >= TOMBSTONE_MS)
      for (const { key } of old) {
        const row = parse(await at(shard).get(key))
        if (row && isTombstone(row)) await at(shard).delete(key)
      }
      return old.length > 0
    },
  }
}

export function isTombstone<Entry>(row: IndexRow<Entry>): row is Tombstone {
  return row !== undefined && 'removed_at' in row
}

/** Spreads keys evenly (FNV-1a over UTF-16 units); every registry must do it alike. */
export function toShard(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % SHARDS
}

function createParser<Entry extends Sized>(schema: z.ZodType<Entry>, onUnreadable: (row: unknown) => void) {
  const Live = z.object({
    key: z.string(),
    digest: z.string(),
    owner: z.string().optional(),
    lost: z.boolean().optional(),
    entry: schema,
  })
  const Row = z.union([Live, z.object({ key: z.string(), removed_at: z.number() })])
  let complained = false
  return (stored: unknown): IndexRow<Entry> => {
    const row = Row.safeParse(stored)
    if (row.success) return row.data as Indexed<Entry> | Tombstone
    if (stored !== undefined && !complained) {
      complained = true
      onUnreadable(stored)
    }
    return undefined
  }
}
