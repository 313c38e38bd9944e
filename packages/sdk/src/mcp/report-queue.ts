/** Something to tell the client of a call. */
export interface Report {
  readonly functionId: string
  readonly payload: Record<string, unknown>
  /** Told that it was delivered, or never will be. */
  readonly settle: () => void
}

export interface ReportLimits {
  /** Log messages that may wait. */
  maxLogs: number
  /** Characters of log messages that may wait. */
  maxLength: number
}

/** What waits to be told, in order, however much is reported: the latest progress alone, and so many log messages. */
export interface ReportQueue {
  /** Only progress waits, which may wait for more. */
  readonly mayWait: boolean
  /** Log messages that found no room since {@link ReportQueue.takeDropped} was called. */
  readonly dropped: number
  putProgress(report: Report): void
  /** Anything else; one without a length always finds room. */
  put(report: Report, length?: number): void
  take(): Report | undefined
  takeDropped(): number
  /** Drops everything. */
  clear(): void
}

export function createReportQueue({ maxLogs, maxLength }: ReportLimits): ReportQueue {
  let waiting: { report: Report; length: number }[] = []
  let progress: Report | undefined
  let logs = 0
  let lengths = 0
  let dropped = 0

  return {
    get mayWait() {
      return progress !== undefined && waiting.length === 1
    },
    get dropped() {
      return dropped
    },
    putProgress(report) {
      const older = progress
      if (older !== undefined) {
        waiting = waiting.filter((entry) => entry.report !== older)
        older.settle()
      }
      progress = report
      waiting.push({ report, length: 0 })
    },
    put(report, length = 0) {
      if (length > 0 && (logs >= maxLogs || (logs > 0 && lengths + length > maxLength))) {
        dropped++
        report.settle()
        return
      }
      if (length > 0) logs++
      lengths += length
      waiting.push({ report, length })
    },
    take() {
      const entry = waiting.shift()
      if (entry === undefined) return undefined
      if (entry.report === progress) progress = undefined
      if (entry.length > 0) logs--
      lengths -= entry.length
      return entry.report
    },
    takeDropped() {
      const count = dropped
      dropped = 0
      return count
    },
    clear() {
      const all = waiting
      waiting = []
      progress = undefined
      logs = 0
      lengths = 0
      for (const { report } of all) report.settle()
    },
  }
}
