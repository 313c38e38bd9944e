/** What was acknowledged of records that are written again and again, and so what may be read of them. */
export interface Model {
  /** Begins to write the next version of a record. */
  write(id: string): Writing
  /** What a read that begins now may answer. */
  expect(id: string): ReadExpectation
  /** Whether a further version may be written: while one is, or where one may come through later, nobody could say what is right. */
  isWritable(id: string): boolean
  /** Those that have to be there. @param sinceMs for so long at least; any, by default */
  ids(sinceMs?: number): string[]
  /** Whoever keeps them has lost what was acknowledged since then, and never promised otherwise. @param sinceMs all, by default */
  forget(sinceMs?: number): void
}

export interface Writing {
  readonly version: number
  acknowledged(): void
  /** Nobody knows whether it was written. */
  failed(): void
}

export interface ReadExpectation {
  /** What is wrong with this version, or with none at all. @returns undefined where nothing is */
  judge(seen: number | undefined): string | undefined
}

interface Row {
  acknowledged: number
  /** The first time. */
  thereSince: number
  acknowledgedAt: number
  attempted: number
  isDoubtful: boolean
  isBeingWritten: boolean
}

export function createModel(now: () => number = () => performance.now()): Model {
  const rows = new Map<string, Row>()
  const open = (id: string): Row => {
    const row = rows.get(id) ?? {
      acknowledged: 0,
      thereSince: 0,
      acknowledgedAt: 0,
      attempted: 0,
      isDoubtful: false,
      isBeingWritten: false,
    }
    rows.set(id, row)
    return row
  }
  return {
    write(id) {
      const row = open(id)
      const version = ++row.attempted
      row.isBeingWritten = true
      return {
        version,
        acknowledged() {
          row.acknowledgedAt = now()
          if (row.acknowledged === 0) row.thereSince = row.acknowledgedAt
          row.acknowledged = Math.max(row.acknowledged, version)
          row.isBeingWritten = false
        },
        failed() {
          row.isDoubtful = true
        },
      }
    },
    expect(id) {
      const row = open(id)
      const least = row.acknowledged
      return {
        judge(seen) {
          // Forgotten meanwhile: nothing is known of it any more.
          return rows.get(id) === row ? compare(id, { seen, least, most: row.attempted }) : undefined
        },
      }
    },
    isWritable(id) {
      const row = rows.get(id)
      return row === undefined || !(row.isDoubtful || row.isBeingWritten)
    },
    ids(sinceMs = 0) {
      const until = now() - sinceMs
      return [...rows].filter(([, row]) => row.acknowledged > 0 && row.thereSince <= until).map(([id]) => id)
    },
    forget(sinceMs = Number.NEGATIVE_INFINITY) {
      for (const [id, row] of rows) if (row.acknowledged === 0 || row.acknowledgedAt >= sinceMs) rows.delete(id)
    },
  }
}

function compare(id: string, { seen, least, most }: { seen: number | undefined; least: number; most: number }) {
  if (seen !== undefined && seen > most) return `${id} has version ${seen}, only ${most} were ever written`
  if ((seen ?? 0) >= least) return undefined
  return `${id} ${seen === undefined ? 'is not there' : `has version ${seen}`}, version ${least} was acknowledged`
}
