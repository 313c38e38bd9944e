import { Fault } from '@iii/protocol'
import type { CallRows } from './call-rows.ts'
import { formatCursor, parseCursor } from './cursor.ts'
import type { RunIndex } from './run-index.ts'
import { toPlaced, toStart, type Walk, type WalkedEntry, walkCalls, walkRuns } from './walk.ts'

export interface ListQuery {
  /** @default both */
  kind?: 'run' | 'call' | undefined
  limit: number
  /** Of the page before. */
  cursor?: string | undefined
  /** RFC 3339: nothing that began before. */
  since?: string | undefined
  /** What else an entry must be. @default anything */
  keep?: ((entry: WalkedEntry) => boolean) | undefined
  /** Whether an entry still fits on the page, which has one at least. @default always */
  hasRoom?: ((entry: WalkedEntry) => boolean) | undefined
}

export interface ListPage {
  entries: WalkedEntry[]
  /** Asks for what comes after; absent at the end. */
  cursor?: string
}

/** A list reads no more rows than that, whatever it looks for; its cursor goes on. */
const MAX_ROWS = 20
/** So much later than it got its place an entry may stand in its row: calls are told in batches, by machines with clocks of their own. */
const LATE_MS = 60_000

/**
 * Lists runs and calls, the newest first.
 *
 * @throws Fault `invalid_input` for a cursor that no list has given
 */
export async function listEntries(index: RunIndex, calls: CallRows, query: ListQuery): Promise<ListPage> {
  const { kind, limit, since, keep = () => true, hasRoom = () => true } = query
  const position = requireCursor(query.cursor)
  const budget = { rows: MAX_ROWS }
  const runs = kind === 'call' ? undefined : walkRuns(index, position.run, budget)
  const told = kind === 'run' ? undefined : walkCalls(calls, position.call, budget)
  const walks = [runs, told].filter((walk) => walk !== undefined)
  const { isRecent, isPast } = judgeTimes(since)
  const entries: WalkedEntry[] = []
  let next = await findNewest(walks, isPast)
  while (next !== undefined && entries.length < limit) {
    const isKept = isRecent(next.entry) && keep(next.entry)
    if (isKept && !hasRoom(next.entry) && entries.length > 0) break
    next.walk.take()
    if (isKept) entries.push(next.entry)
    next = await findNewest(walks, isPast)
  }
  if (next === undefined && walks.every((walk) => walk.isOver)) return { entries }
  return { entries, cursor: formatCursor({ run: runs?.position, call: told?.position }) }
}

/** A call that took long stands among those that began after it: it may be too old, and what lies behind it not. */
function judgeTimes(since: string | undefined) {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since)
  return {
    isRecent: (entry: WalkedEntry) => Date.parse(toStart(entry)) >= from,
    isPast: (entry: WalkedEntry) => toPlaced(entry) < from - LATE_MS,
  }
}

function requireCursor(cursor: string | undefined) {
  if (cursor === undefined) return { run: undefined, call: undefined }
  const position = parseCursor(cursor)
  if (position !== undefined) return position
  throw new Fault('invalid_input', 'cursor: must be the cursor that a list has given')
}

/** @param isPast whether a walk is over with such an entry: whatever lies behind it is older */
async function findNewest(walks: readonly Walk<unknown>[], isPast: (entry: WalkedEntry) => boolean) {
  const peeked = await Promise.all(walks.map(async (walk) => ({ walk, entry: await walk.peek() })))
  let newest: { walk: Walk<unknown>; entry: WalkedEntry } | undefined
  for (const { walk, entry } of peeked) {
    if (entry !== undefined && isPast(entry)) walk.end()
    if (entry === undefined || isPast(entry)) continue
    if (newest === undefined || toStart(entry) > toStart(newest.entry)) newest = { walk, entry }
  }
  return newest
}
