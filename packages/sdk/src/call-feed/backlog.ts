import type { McpCallGap } from '@iii/protocol'
import type { Entry } from './entry.ts'

/** What one subscriber has not been told yet. */
export interface Backlog {
  readonly size: number
  /** @param withInput do the arguments wait too? They go first when it is too much. */
  add(entry: Entry, withInput: boolean): void
  take(count: number): Taken
  /** They could not be told: they are the next again. */
  putBack(taken: Taken): void
  /** They were told, and nobody took them. */
  lose(taken: Taken): void
  clear(): void
}

export interface Taken {
  readonly entries: readonly Entry[]
  /** What was dropped since the last ones were taken. */
  readonly gap: McpCallGap | undefined
}

export interface BacklogLimits {
  /** So many records wait; what comes then is counted and dropped. */
  readonly waiting: number
  /** Bytes of arguments that wait; records go without theirs then. */
  readonly inputBytes: number
}

/** @param onDropped told how many are counted and dropped */
export function createBacklog(limits: BacklogLimits, onDropped: (count: number) => void = () => undefined): Backlog {
  let waiting: Entry[] = []
  let inputBytes = 0
  let gap: McpCallGap | undefined

  function drop(entries: readonly Entry[]): void {
    onDropped(entries.length)
    for (const { endedAt } of entries) {
      const at = new Date(endedAt).toISOString()
      gap = { dropped: (gap?.dropped ?? 0) + 1, since: gap?.since ?? at, until: at }
    }
  }

  return {
    get size() {
      return waiting.length
    },
    add(entry, withInput) {
      if (waiting.length >= limits.waiting) return drop([entry])
      const hasRoom = withInput && inputBytes + entry.inputBytes <= limits.inputBytes
      const kept = hasRoom ? entry : { ...entry, input: undefined, inputBytes: 0 }
      inputBytes += kept.inputBytes
      waiting.push(kept)
    },
    take(count) {
      const taken = { entries: waiting.splice(0, count), gap }
      for (const entry of taken.entries) inputBytes -= entry.inputBytes
      gap = undefined
      return taken
    },
    putBack({ entries, gap: told }) {
      waiting = [...entries, ...waiting]
      for (const entry of entries) inputBytes += entry.inputBytes
      gap = joinGaps(told, gap)
    },
    lose({ entries, gap: told }) {
      const since = gap
      gap = told
      drop(entries)
      gap = joinGaps(gap, since)
    },
    clear() {
      waiting = []
      inputBytes = 0
      gap = undefined
    },
  }
}

function joinGaps(one: McpCallGap | undefined, later: McpCallGap | undefined): McpCallGap | undefined {
  if (one === undefined || later === undefined) return one ?? later
  return { dropped: one.dropped + later.dropped, since: one.since, until: later.until }
}
