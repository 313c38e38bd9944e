import { malformed } from './malformed.ts'
import type { ServerEntry } from './server-config.ts'

/**
 * What counts after the file has changed: a server whose new entry is malformed keeps its last good one, with a warning for all that is
 * wrong, unless the new one no longer says that it is trusted, or disables it. Of a server that is gone nothing stays.
 */
export function keepLastGood(before: readonly ServerEntry[], next: readonly ServerEntry[]): readonly ServerEntry[] {
  return next.map((entry) => {
    if ('config' in entry || !entry.keepsLastGood) return entry
    const last = before.find(({ name }) => name === entry.name)
    if (last === undefined || !('config' in last)) return entry
    const note = malformed(`servers.${entry.name}`, 'is malformed now; its last good settings stay until it is mended')
    return { name: entry.name, config: last.config, warnings: [note, ...entry.problems] }
  })
}
