import type { Logger } from '@iii/sdk'
import { formatKey } from '../../gate/sight.ts'
import type { ToolEntry } from './tool-entry.ts'

/** Tells the operator, once for each function, what clients do not see as it was registered. */
export interface HiddenReport {
  /** Its schemas could not be served as they are. Told again when other things are wrong with them. */
  problems(entry: ToolEntry): void
  /** Another function has its name. */
  loser(loser: ToolEntry, winner: ToolEntry): void
  /** There are more tools than a list may hold. Told again when it is another number. */
  leftOut(entries: readonly ToolEntry[]): void
  /** Ids are made up all the time: of many, those that are not there any more are forgotten. */
  forget(isThere: (id: string) => boolean): void
}

/** From so many on, what was told of functions that are gone is forgotten. */
const MANY = 1_000

const MAX_TOLD = 5

export function createReport(log: Logger): HiddenReport {
  const told = new Map<string, string>()
  const losers = new Set<string>()
  let leftOut = 0
  return {
    problems({ functionId, problems }) {
      const text = problems.join('; ')
      if ((told.get(functionId) ?? '') === text) return
      told.set(functionId, text)
      if (text === '') return
      const more = problems.length > MAX_TOLD ? { more: problems.length - MAX_TOLD } : {}
      const fields = { function_id: formatKey(functionId), problems: problems.slice(0, MAX_TOLD), ...more }
      log.warn(fields, 'the schemas of a function are not served as they are: MCP clients could not read them')
    },
    loser(loser, winner) {
      if (losers.has(loser.functionId)) return
      losers.add(loser.functionId)
      const fields = {
        tool: loser.name,
        function_id: formatKey(loser.functionId),
        taken_by: formatKey(winner.functionId),
      }
      log.warn(fields, 'a function is not listed: its tool name is taken')
    },
    forget(isThere) {
      for (const ids of [told, losers]) {
        if (ids.size <= MANY) continue
        for (const id of ids.keys()) if (!isThere(id)) ids.delete(id)
      }
    },
    leftOut(entries) {
      if (entries.length === leftOut) return
      leftOut = entries.length
      if (leftOut === 0) return
      const bySize = [...entries].sort((a, b) => b.json.inlined.length - a.json.inlined.length)
      const largest = bySize.slice(0, MAX_TOLD).map(({ functionId }) => formatKey(functionId))
      log.warn(
        { left_out: leftOut, largest },
        'the list of tools is full: hide functions with hidden_prefixes or a tier',
      )
    },
  }
}
