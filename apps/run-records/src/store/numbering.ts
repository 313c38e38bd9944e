import { z } from 'zod'
import type { Rows } from './rows.ts'

/** How many rows there are of a kind. They are numbered from 0, and those before `first` have been removed, but for the `older` ones. */
export interface Numbering {
  /** One more than the number of the newest row. */
  readonly rows: number
  readonly first: number
  /** Rows before `first` that are still there, the oldest first. */
  readonly older: readonly number[]
  /** What has been added to `entries` and `bytes`; about as much as is kept. */
  readonly entries: number
  readonly bytes: number
}

/** The one row that knows which others there are: the engine's list has no pages and tells no keys. */
export interface NumberingRow {
  read(): Promise<Numbering>
  /** Counts up, atomically. */
  add(counts: { places?: number; entries?: number; bytes?: number }): Promise<{ head: Numbering; places: number }>
  /** After old rows were removed, or counted anew. */
  set(head: Partial<Omit<Numbering, 'rows'>>): Promise<void>
  /** The oldest row was removed, with so much in it. What is counted up meanwhile stays so. */
  pass(row: number, gone: { entries: number; bytes: number }): Promise<void>
}

const count = z.int().nonnegative().catch(0)
const older = z.array(z.int().nonnegative()).catch([])
const Stored = z.object({ places: count, first: count, older, entries: count, bytes: count }).catch({
  places: 0,
  first: 0,
  older: [],
  entries: 0,
  bytes: 0,
})

/**
 * @param key of the row in `runs-index`
 * @param perRow how many places a row has
 */
export function createNumberingRow(rows: Rows, key: string, perRow: number): NumberingRow {
  function toHead(value: unknown): { head: Numbering; places: number } {
    const { places, first, older, entries, bytes } = Stored.parse(value)
    return { places, head: { rows: Math.ceil(places / perRow), first, older, entries, bytes } }
  }

  return {
    read: async () => toHead(await rows.get('index', key)).head,
    async add({ places = 0, entries = 0, bytes = 0 }) {
      const counts = Object.entries({ places, entries, bytes })
      const ops = counts.map(([path, by]) => ({ type: 'increment' as const, path, by }))
      const { value, failed } = await rows.update('index', key, ops)
      if (failed === 0) return toHead(value)
      // Somebody else wrote it; what it counted is lost, and the rows that it knew are written anew.
      await rows.set('index', key, { places, entries, bytes, first: 0 })
      return toHead({ places, entries, bytes, first: 0 })
    },
    async set(head) {
      const ops = Object.entries(head).map(([path, value]) => ({ type: 'set' as const, path, value }))
      await rows.update('index', key, ops)
    },
    async pass(row, { entries, bytes }) {
      await rows.update('index', key, [
        { type: 'set', path: 'first', value: row + 1 },
        { type: 'increment', path: 'entries', by: -entries },
        { type: 'increment', path: 'bytes', by: -bytes },
      ])
    },
  }
}
