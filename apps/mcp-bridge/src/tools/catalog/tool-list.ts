import { compareText } from '@iii/protocol'
import { answersToGrant, decide } from '../../auth/decision.ts'
import { EVERYBODY, type Principal } from '../../auth/principal.ts'
import { createPerView } from '../../auth/view.ts'
import { readKey } from '../../gate/sight.ts'
import { toFittingRows } from '../../mcp/fitting-rows.ts'
import { readyMembers, toReady } from '../../mcp/rpc.ts'
import type { Declared } from '../../resources/declared/table.ts'
import { createHeldLists, type HeldLists, type ListForm, type ReadyForms } from './held-lists.ts'
import type { HiddenReport } from './report.ts'
import { type ToolEntry, toToolRow } from './tool-entry.ts'

/** The tools as some principals see them; the same one until something has changed. */
export interface ToolView {
  /** As it goes out: made when it is asked for the first time. */
  readonly ready: ReadyForms
  /** The tools in the list's order, with those that it has no room for. */
  readonly entries: readonly ToolEntry[]
  readonly declared: readonly Declared[]
  find(name: string): ToolEntry | undefined
  /** All that could be listed. */
  names(): Iterable<string>
}

/** What of a view is read as a whole. */
export type ViewPart = 'ready' | 'entries' | 'declared'

/** What is made of all entries: kept as it goes out, until it is another. */
export interface ToolList {
  /** What a principal sees; undefined until there was something to make it of. */
  of(principal: Principal): ToolView | undefined
  /** Is this part of it made already? */
  isMade(part: ViewPart, principal: Principal): boolean
  /** Tells each array of all entries, whoever sees them, also those whose name another one has. */
  onEntries(listener: (entries: readonly ToolEntry[]) => void): void
  render(entries: Iterable<ToolEntry>): void
  /** The same, once there is something that was rendered: made when somebody looks, and soon in any case, once for all that is learned until then. */
  renew(entries: () => Iterable<ToolEntry>): void
}

/** More are not listed, unless it is said otherwise: clients and models do not bear them. */
export const MAX_TOOLS = 10_000
/** A reply has 16 MiB for its rows, the bridge's own tools and what is around them. */
const MAX_LIST_BYTES = 15 * 1024 * 1024

export interface ToolListOptions {
  readonly report: HiddenReport
  /** Told when the whole list has other bytes than before. */
  readonly onChange?: (() => void) | undefined
  /** Told when functions declare other resources or templates than before. */
  readonly onDeclaredChange?: (() => void) | undefined
  /** So many tools are listed; the others can be called all the same. @default 10000 */
  readonly maxTools?: number | undefined
  /** A burst of what is learned is waited out for so long. @default 50 */
  readonly settleMs?: number | undefined
  /** Those that a grant narrows. @default of 64 Mi characters together */
  readonly lists?: HeldLists | undefined
}

export function createToolList({
  report,
  onChange,
  onDeclaredChange,
  maxTools = MAX_TOOLS,
  settleMs = 50,
  lists = createHeldLists(),
}: ToolListOptions): ToolList {
  const perView = createPerView<ToolView>({ onLeft: lists.drop })
  let whole: WholeView | undefined
  let due: { readonly entries: () => Iterable<ToolEntry>; readonly timer: NodeJS.Timeout } | undefined
  const listeners: ((entries: readonly ToolEntry[]) => void)[] = []

  /** @returns what stays as it was where it is alike: whoever keeps something by it need not make that anew */
  function make(byId: readonly ToolEntry[], before: WholeView | undefined): WholeView {
    const made = toSeen(byId, report.loser)
    const declared = before && isAlike(made.declared, before.declared) ? before.declared : made.declared
    const listed = toListed(made.entries, maxTools)
    const kept = new Set(listed)
    report.leftOut(made.entries.filter((entry) => !kept.has(entry)))
    const members = toMembers(listed, 'inlined')
    // Both forms are made of the same: where the one is as it was, so is the other.
    const isListedAlike = before && readyMembers(before.ready.inlined) === members
    return { ...made, byId, declared, ready: isListedAlike ? before.ready : toForms(listed, { members }) }
  }

  function view(all: WholeView, principal: Principal): ToolView {
    const seen = toSeenOf(all, ({ access }) => decide(principal, access) === 'allow')
    const own: ToolView = {
      ...seen,
      get ready() {
        return lists.get(own, () => toForms(toListed(seen.entries, maxTools, principal), { principal }))
      },
    }
    return own
  }

  function render(entries: Iterable<ToolEntry>): void {
    clearTimeout(due?.timer)
    due = undefined
    // By id first, so that of two functions with one name or address the same one wins on every bridge.
    const byId = [...entries].sort((a, b) => compareText(a.functionId, b.functionId))
    const before = whole
    if (before !== undefined && isSame(before.byId, byId)) return
    whole = make(byId, before)
    perView.clear()
    lists.clear()
    for (const listener of listeners) listener(whole.byId)
    if (before === undefined) return
    if (whole.declared !== before.declared) onDeclaredChange?.()
    if (whole.ready !== before.ready) onChange?.()
  }

  function catchUp(): void {
    if (due !== undefined) render(due.entries())
  }

  return {
    onEntries: (listener) => void listeners.push(listener),
    render,
    renew(entries) {
      if (whole !== undefined) due = { entries, timer: due?.timer ?? setTimeout(catchUp, settleMs).unref() }
    },
    isMade(part, principal) {
      if (due !== undefined) return false
      if (!answersToGrant(principal)) return true
      const known = perView.find(principal)
      return known !== undefined && (part !== 'ready' || lists.has(known))
    },
    of(principal) {
      catchUp()
      const all = whole
      if (all === undefined || !answersToGrant(principal)) return all
      return perView.get(principal, () => view(all, principal))
    },
  }
}

/** What nobody's grant narrows. */
interface WholeView extends ToolView {
  readonly byId: readonly ToolEntry[]
}

/** @param onLoser told of each whose name another one has */
function toSeen(byId: readonly ToolEntry[], onLoser?: HiddenReport['loser']): Omit<ToolView, 'ready'> {
  const byName = new Map<string, ToolEntry>()
  for (const entry of byId) {
    const winner = byName.get(entry.name)
    if (winner === undefined) byName.set(entry.name, entry)
    else onLoser?.(entry, winner)
  }
  return {
    entries: [...byName.values()].sort(compareEntries),
    declared: byId.flatMap((entry) => entry.declared ?? []),
    find: (name) => byName.get(name),
    names: () => byName.keys(),
  }
}

/** Where no two have the same name, what somebody sees of all is in order already. */
function toSeenOf(all: WholeView, isSeen: (entry: ToolEntry) => boolean): Omit<ToolView, 'ready'> {
  if (all.entries.length < all.byId.length) return toSeen(all.byId.filter(isSeen))
  const entries = all.entries.filter(isSeen)
  return {
    entries,
    declared: all.byId.flatMap((entry) => (entry.declared !== undefined && isSeen(entry) ? entry.declared : [])),
    find(name) {
      const entry = all.find(name)
      return entry !== undefined && isSeen(entry) ? entry : undefined
    },
    names: () => entries.map(({ name }) => name),
  }
}

/** @param asked.members what is known of the one form */
function toForms(listed: readonly ToolEntry[], asked: { principal?: Principal; members?: string }): ReadyForms {
  const { principal = EVERYBODY, members = toMembers(listed, 'inlined', principal) } = asked
  const isAlikeInBoth = listed.every(({ json }) => json.inlined === json.shared)
  const other = isAlikeInBoth ? members : toMembers(listed, 'shared', principal)
  const inlined = toReady(members)
  return { inlined, shared: other === members ? inlined : toReady(other) }
}

/** Both forms of a list have the same tools: what is shared takes no more room. */
function toListed(entries: readonly ToolEntry[], maxTools: number, principal = EVERYBODY): readonly ToolEntry[] {
  return toFittingRows(entries.slice(0, maxTools), (entry) => toToolRow(entry, 'inlined', principal), MAX_LIST_BYTES)
}

function toMembers(entries: readonly ToolEntry[], form: ListForm, principal = EVERYBODY): string {
  const rows = entries.map((entry) => toToolRow(entry, form, principal))
  return `"tools":[${rows.join(',')}]`
}

function isSame(some: readonly ToolEntry[], others: readonly ToolEntry[]): boolean {
  return some.length === others.length && some.every((entry, at) => entry === others[at])
}

function isAlike(some: readonly Declared[], others: readonly Declared[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}

/** By name, and our own before those of other namespaces: what else is shown moves none of them, and takes no place from them. */
function compareEntries(a: ToolEntry, b: ToolEntry): number {
  const isElsewhere = ({ functionId }: ToolEntry) => Number(readKey(functionId).namespace !== undefined)
  return isElsewhere(a) - isElsewhere(b) || compareText(a.name, b.name)
}
