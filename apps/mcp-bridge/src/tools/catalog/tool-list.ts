import { compareText } from '@iii/protocol'
import { readKey } from '../../gate/sight.ts'
import { type ReadyResult, readyMembers, toReady } from '../../mcp/rpc.ts'
import type { Declared } from '../../resources/declared/table.ts'
import type { Report } from './report.ts'
import type { ToolEntry } from './tool-entry.ts'

/** What is made of all entries: kept as it goes out, until it is another. */
export interface ToolList {
  /** Undefined until there was something to make it of. */
  readonly ready: ReadyResult | undefined
  /** The same list until something has changed. */
  readonly declared: readonly Declared[]
  find(name: string): ToolEntry | undefined
  /** All that could be listed. */
  names(): Iterable<string>
  render(entries: Iterable<ToolEntry>): void
}

/** More are not listed, unless it is said otherwise: clients and models do not bear them. */
export const MAX_TOOLS = 10_000

export interface ToolListOptions {
  readonly report: Report
  /** Told when the list has other bytes than before. */
  readonly onChange?: (() => void) | undefined
  /** Told when functions declare other resources or templates than before. */
  readonly onDeclaredChange?: (() => void) | undefined
  /** So many tools are listed; the others can be called all the same. @default 10000 */
  readonly maxTools?: number | undefined
}

export function createToolList({
  report,
  onChange,
  onDeclaredChange,
  maxTools = MAX_TOOLS,
}: ToolListOptions): ToolList {
  let byName = new Map<string, ToolEntry>()
  let ready: ReadyResult | undefined
  let declared: readonly Declared[] = []

  function name(entries: readonly ToolEntry[]): void {
    byName = new Map()
    for (const entry of entries) {
      const winner = byName.get(entry.name)
      if (winner === undefined) byName.set(entry.name, entry)
      else report.loser(entry, winner)
    }
  }

  function declare(now: readonly Declared[], isFirst: boolean): void {
    if (JSON.stringify(now) === JSON.stringify(declared)) return
    declared = now
    if (!isFirst) onDeclaredChange?.()
  }

  return {
    get ready() {
      return ready
    },
    get declared() {
      return declared
    },
    find: (name) => byName.get(name),
    names: () => byName.keys(),
    render(entries) {
      // By id first, so that of two functions with one name or address the same one wins on every bridge.
      const byId = [...entries].sort((a, b) => compareText(a.functionId, b.functionId))
      const before = ready
      name(byId)
      declare(
        byId.flatMap((entry) => entry.declared ?? []),
        before === undefined,
      )
      const rows = [...byName.values()].sort(compareEntries).map((entry) => entry.json)
      report.leftOut(rows.length - maxTools)
      const members = `"tools":[${rows.slice(0, maxTools).join(',')}]`
      if (before !== undefined && readyMembers(before) === members) return
      ready = toReady(members)
      if (before !== undefined) onChange?.()
    },
  }
}

/** By name, and our own before those of other namespaces: what else is shown moves none of them, and takes no place from them. */
function compareEntries(a: ToolEntry, b: ToolEntry): number {
  const isElsewhere = ({ functionId }: ToolEntry) => Number(readKey(functionId).namespace !== undefined)
  return isElsewhere(a) - isElsewhere(b) || compareText(a.name, b.name)
}
