import type { StateScope } from '@iii/sdk'
import { z } from 'zod'
import { explain } from './explain.ts'
import type { Sized } from './record-kind.ts'

/** The index is spread over so many scopes, so that a change costs the reading of a small part of it. */
export const SHARDS = 32

/** A removed record stays marked for this long, so that no registry that was away writes it back. In milliseconds. */
export const BURIED_MS = 600_000

/** What the index knows of a record: everything that lists show, and nothing of the body. */
export interface Indexed<Entry> {
  key: string
  /** Says whether two bodies are the same. */
  digest: string
  /** Name of the worker that registered it, if it is known. */
  owner?: string | undefined
  /** True when its body went down with the engine's state and nobody registered it since. */
  lost?: boolean | undefined
  entry: Entry
}

/** The mark of a record that was removed. */
export interface Grave {
  key: string
  /** Milliseconds since 1970. */
  removed_at: number
}

/** What the index has under a key. */
export type Found<Entry> = Indexed<Entry> | Grave | undefined

/** One shard as it is stored. */
export interface Shard<Entry> {
  live: ReadonlyMap<string, Indexed<Entry>>
  graves: ReadonlyMap<string, Grave>
}

/** The rows of the index, one small row a record: writers of different records never meet. */
export interface IndexRows<Entry> {
  put(item: Indexed<Entry>): Promise<void>
  /** Marks a record as removed. */
  bury(key: string): Promise<void>
  get(key: string): Promise<Found<Entry>>
  /** Reads one shard; rows that are none of ours are left out. */
  read(shard: number): Promise<Shard<Entry>>
  /** Takes the marks away that are old enough. @returns whether there were any */
  clear(shard: number, graves: Shard<Entry>['graves']): Promise<boolean>
}

export interface IndexOptions<Entry> {
  /** Gives the scope of a shard. */
  open(shard: number): StateScope<unknown>
  /** Of what lists show. */
  schema: z.ZodType<Entry>
  /** Hears of the first row that cannot be read: another version of the registry may have written it. */
  onUnreadable(row: unknown): void
  now?: () => number
}

export function createIndexRows<Entry extends Sized>(options: IndexOptions<Entry>): IndexRows<Entry> {
  const { open, schema, now = Date.now } = options
  const scopes = Array.from({ length: SHARDS }, (_, shard) => open(shard))
  const at = (shard: number) => scopes[shard] ?? open(shard)
  const parse = createParser(schema, options.onUnreadable)

  return {
    async put(item) {
      await explain('state::set', () => at(toShard(item.key)).set(item.key, item))
    },
    async bury(key) {
      const grave: Grave = { key, removed_at: now() }
      await explain('state::set', () => at(toShard(key)).set(key, grave))
    },
    get: async (key) => parse(await explain('state::get', () => at(toShard(key)).get(key))),
    async read(shard) {
      const rows = (await explain('state::list', () => at(shard).list())).map(parse)
      return {
        live: new Map(rows.flatMap((row) => (row && !isGrave(row) ? [[row.key, row]] : []))),
        graves: new Map(rows.flatMap((row) => (row && isGrave(row) ? [[row.key, row]] : []))),
      }
    },
    async clear(shard, graves) {
      const old = [...graves.values()].filter(({ removed_at }) => now() - removed_at >= BURIED_MS)
      for (const { key } of old) {
        const row = parse(await at(shard).get(key))
        if (row && isGrave(row)) await at(shard).delete(key)
      }
      return old.length > 0
    },
  }
}

export function isGrave<Entry>(row: Found<Entry>): row is Grave {
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
  return (stored: unknown): Found<Entry> => {
    const row = Row.safeParse(stored)
    if (row.success) return row.data as Indexed<Entry> | Grave
    if (stored !== undefined && !complained) {
      complained = true
      onUnreadable(stored)
    }
    return undefined
  }
}
