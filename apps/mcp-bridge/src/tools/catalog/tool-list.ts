import { compareText } from '@iii/protocol'
import { readKey } from '../../gate/sight.ts'
import { type ReadyResult, readyMembers, toReady } from '../../mcp/rpc.ts'
import type { Declared } from '../../resources/declared/table.ts'
import type { Report } from './report.ts'
import type { ToolEntry } from './tool-entry.ts'

/** The list as it goes out, once for clients that follow no references, and once with what a schema repeats kept once under `$defs`. */
export type ReadyForms = Readonly<Record<ListForm, ReadyResult>>
export type ListForm = 'inlined' | 'shared'

/** What is made of all entries: kept as it goes out, until it is another. */
export interface ToolList {
  /** Undefined until there was something to make it of. */
  readonly ready: ReadyForms | undefined
  /** All that can be found, in the order of the list; the same array until something has changed. */
  readonly entries: readonly ToolEntry[]
  /** The same list until something has changed. */
  readonly declared: readonly Declared[]
  onEntries(listener: (entries: readonly ToolEntry[]) => void): void
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
  let ready: ReadyForms | undefined
  let entries: readonly ToolEntry[] = []
  const listeners: ((entries: readonly ToolEntry[]) => void)[] = []
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
    get entries() {
      return entries
    },
    get declared() {
      return declared
    },
    onEntries: (listener) => void listeners.push(listener),
    find: (name) => byName.get(name),
    names: () => byName.keys(),
    render(all) {
      // By id first, so that of two functions with one name or address the same one wins on every bridge.
      const byId = [...all].sort((a, b) => compareText(a.functionId, b.functionId))
      const before = ready
      name(byId)
      declare(
        byId.flatMap((entry) => entry.declared ?? []),
        before === undefined,
      )
      const rows = [...byName.values()].sort(compareEntries)
      if (!isSame(rows, entries)) {
        entries = rows
        for (const listener of listeners) listener(rows)
      }
      report.leftOut(rows.length - maxTools)
      const listed = rows.slice(0, maxTools)
      const members = toMembers(listed.map(({ json }) => json))
      // Both are made of the same: where the one is as it was, so is the other.
      if (before !== undefined && readyMembers(before.inlined) === members) return
      const inlined = toReady(members)
      const shared = toMembers(listed.map(({ sharedJson }) => sharedJson))
      ready = { inlined, shared: shared === members ? inlined : toReady(shared) }
      if (before !== undefined) onChange?.()
    },
  }
}

function isSame(some: readonly ToolEntry[], others: readonly ToolEntry[]): boolean {
  return some.length === others.length && some.every((entry, at) => entry === others[at])
}

function toMembers(rows: readonly string[]): string {
  return `"tools":[${rows.join(',')}]`
}

/** By name, and our own before those of other namespaces: what else is shown moves none of them, and takes no place from them. */
function compareEntries(a: ToolEntry, b: ToolEntry): number {
  const isElsewhere = ({ functionId }: ToolEntry) => Number(readKey(functionId).namespace !== undefined)
  return isElsewhere(a) - isElsewhere(b) || compareText(a.name, b.name)
}
