import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Rows } from './rows.ts'

/** What holds for all rows of a store. */
export interface StoreFacts {
  /** Of its digests. */
  readonly digestKey: string
  /** Results of another epoch are not in the cache any more. */
  readonly cacheEpoch: number
}

/** The row of these facts. */
export interface FactsRow {
  /** Makes the key, if there is none yet. */
  ensure(): Promise<StoreFacts>
  /** Undefined for a store that has no key yet. Writes nothing. */
  read(): Promise<StoreFacts | undefined>
  clearCache(): Promise<void>
}

const KEY = 'store'
const KEY_BYTES = 32
const Stored = z.object({
  keys: z.array(z.object({ key: z.string().min(1) })).min(1),
  cache_epoch: z.int().catch(0),
})

export function createFactsRow(rows: Rows): FactsRow {
  function toFacts(value: unknown): StoreFacts | undefined {
    const parsed = Stored.safeParse(value)
    const [first] = parsed.data?.keys ?? []
    return first && parsed.data ? { digestKey: first.key, cacheEpoch: parsed.data.cache_epoch } : undefined
  }
  const read = async () => toFacts(await rows.get('index', KEY))

  return {
    read,
    async ensure() {
      const found = await read()
      if (found !== undefined) return found
      // Several may do so at once: the first key counts for all.
      const value = { key: randomBytes(KEY_BYTES).toString('hex') }
      const appended = toFacts((await rows.update('index', KEY, [{ type: 'append', path: 'keys', value }])).value)
      if (appended !== undefined) return appended
      await rows.set('index', KEY, { keys: [value], cache_epoch: 0 })
      return { digestKey: value.key, cacheEpoch: 0 }
    },
    async clearCache() {
      const by = { type: 'increment' as const, path: 'cache_epoch', by: 1 }
      const { failed } = await rows.update('index', KEY, [by])
      if (failed > 0) await rows.delete('index', KEY)
    },
  }
}
