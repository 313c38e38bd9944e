import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { CallGap, CallRecord } from '../record/call-record.ts'
import { createNumberingRow, type Numbering } from './numbering.ts'
import type { Rows } from './rows.ts'

export type CallEntry = CallRecord | CallGap

/** A row is closed when it has so many, or so much. */
const MAX_ENTRIES = 100
const MAX_BYTES = 256 * 1024

/** The calls that bridges told of, up to a hundred in a row, in the order in which we heard of them. */
export interface CallRows {
  head(): Promise<Numbering>
  /**
   * Adds calls to the row that this process writes, and to another when it is full. Takes those out of the list that are there.
   *
   * @param store the key of its digests: with another one, all that was written before is gone
   * @returns how much there is now
   */
  add(calls: CallEntry[], store: string): Promise<Numbering>
  /** The calls of a row, the newest first, each with its number in it. What cannot be read is left out. */
  read(row: number): Promise<{ number: number; entry: CallEntry }[]>
  /** Removes the oldest row. @returns what was in it */
  removeRow(row: number): Promise<{ entries: number; bytes: number }>
  /** Counts anew what is there: an answer that is lost is asked for again and counted twice, and an engine that crashes forgets some. */
  recount(): Promise<void>
}

/** More than there are of as many calls as can be kept. */
const MAX_COUNTED = 1000

/** The one that is being written. */
interface OpenRow {
  store: string
  row: number
  calls: CallEntry[]
  bytes: number
}

const Entry = z.discriminatedUnion('kind', [CallRecord, CallGap])

export function createCallRows(rows: Rows): CallRows {
  const head = createNumberingRow(rows, 'calls', 1)
  const toKey = (row: number) => `calls-${row}`
  let open: OpenRow | undefined

  async function toOpenRow(bytes: number, store: string): Promise<OpenRow> {
    const isOpen = open !== undefined && open.calls.length < MAX_ENTRIES && open.bytes + bytes <= MAX_BYTES
    if (open?.store === store && isOpen) return open
    // An engine that keeps its state in memory has forgotten the row when it restarts: what is in it gets a new place.
    const kept = isOpen && open !== undefined ? open : { calls: [], bytes: 0 }
    const { places } = await head.add({ places: 1, entries: kept.calls.length, bytes: kept.bytes })
    open = { calls: kept.calls, bytes: kept.bytes, store, row: places - 1 }
    return open
  }

  /** Fills one row as far as it goes, and takes out of the list what is there. */
  async function fill(calls: CallEntry[], store: string): Promise<Numbering> {
    const row = await toOpenRow(toBytes(calls[0]), store)
    const before = { calls: row.calls.length, bytes: row.bytes }
    for (const call of calls) {
      const bytes = toBytes(call)
      const isFull = row.calls.length >= MAX_ENTRIES || row.bytes + bytes > MAX_BYTES
      if (isFull && row.calls.length > 0) break
      row.calls.push(call)
      row.bytes += bytes
    }
    try {
      // The whole row each time: it is ours alone, and whatever became of it in the store is mended.
      await rows.set('calls', toKey(row.row), { calls: row.calls })
    } catch (error) {
      row.calls.length = before.calls
      row.bytes = before.bytes
      throw error
    }
    const added = row.calls.length - before.calls
    calls.splice(0, added)
    const { head: now } = await head.add({ entries: added, bytes: row.bytes - before.bytes })
    // An engine that crashed has forgotten its last seconds, in which the row may have got its place.
    const lost = row.row + 1 - now.rows
    return lost <= 0 ? now : (await head.add({ places: lost, entries: before.calls, bytes: before.bytes })).head
  }

  return {
    head: head.read,
    async add(calls, store) {
      let now: Numbering | undefined
      while (calls.length > 0) now = await fill(calls, store)
      return now ?? (await head.read())
    },
    async read(row) {
      const calls = toCalls(await rows.get('calls', toKey(row)))
      const entries = calls.flatMap((call, number) => {
        const parsed = Entry.safeParse(call)
        return parsed.success ? [{ number, entry: parsed.data }] : []
      })
      return entries.reverse()
    },
    async removeRow(row) {
      const gone = measure(await rows.delete('calls', toKey(row)))
      await head.pass(row, gone)
      return gone
    },
    async recount() {
      const before = await head.read()
      if (before.rows - before.first > MAX_COUNTED) return
      const found = { entries: 0, bytes: 0 }
      for (let row = before.first; row < before.rows; row += 1) {
        const { entries, bytes } = measure(await rows.get('calls', toKey(row)))
        found.entries += entries
        found.bytes += bytes
      }
      if (isDeepStrictEqual(before, { ...before, ...found })) return
      // What others add or remove meanwhile may be in it or not: it is left to the next time.
      if (isDeepStrictEqual(before, await head.read())) await head.set(found)
    },
  }
}

function toCalls(value: unknown): unknown[] {
  const { calls } = (value ?? {}) as { calls?: unknown }
  return Array.isArray(calls) ? calls : []
}

function measure(value: unknown): { entries: number; bytes: number } {
  const calls = toCalls(value)
  return { entries: calls.length, bytes: calls.reduce<number>((sum, call) => sum + toBytes(call), 0) }
}

function toBytes(call: unknown): number {
  return Buffer.byteLength(JSON.stringify(call ?? null))
}
