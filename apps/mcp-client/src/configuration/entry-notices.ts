import type { Logger } from '@iii/sdk'
import { createNotices, type Notices } from '../diagnostics/notices.ts'
import type { ServerEntry } from './server-config.ts'

const WHAT = 'the entry of the server in the file is not as it should be'

/** Tells the log what is wrong with the entries of the file, whether or not this process runs them. */
export function createEntryNotices(log: Pick<Logger, 'child'>): { tell(entries: readonly ServerEntry[]): void } {
  let known: ReadonlyMap<string, Notices> = new Map()
  return {
    tell(entries) {
      known = new Map(
        entries.map((entry) => {
          const own = known.get(entry.name) ?? createNotices(log.child({ server: entry.name }), WHAT)
          own.tell('config' in entry ? entry.warnings : entry.problems)
          return [entry.name, own]
        }),
      )
    },
  }
}
