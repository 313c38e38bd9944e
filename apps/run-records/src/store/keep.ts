import type { Options } from '../options.ts'

/** How much is kept, of runs and of calls. */
export interface Keep {
  readonly runs: number
  readonly calls: number
  readonly days: number
  /** Of the details of runs, and of calls: so much each. */
  readonly bytes: number
}

export function toKeep({ keepRuns, keepCalls, keepDays, keepBytes }: Options): Keep {
  return { runs: keepRuns, calls: keepCalls, days: keepDays, bytes: keepBytes }
}
