import { type ExposureRules, isHashedToolName, parseToolName, refuse } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import type { ReadyResult } from '../call.ts'
import type { Directory, FunctionDetail } from '../directory.ts'
import { createRefresher } from './refresher.ts'
import { createReport } from './report.ts'
import type { ParamHeader } from './schema-headers.ts'
import { type Declared, type ToolEntry, toToolEntry } from './tool-entry.ts'
import { createToolList } from './tool-list.ts'

export type { Declared } from './tool-entry.ts'
export { MAX_TOOLS } from './tool-list.ts'

/** The functions of the engine as tools: kept as ready bytes, and rebuilt when the engine changes. */
export interface Catalog {
  /**
   * The result of `tools/list`. Waits for the engine only when there is no list yet, or when nobody looked for so long that
   * the one there is may be out of date.
   *
   * @throws the engine's error when there has never been a list
   */
  list(): Promise<ReadyResult>
  /** The function behind a tool name. A name that only the list can resolve and that is not there is worth another look. */
  find(toolName: string): Promise<string | undefined>
  /**
   * What functions are beside tools, sorted by function id; the same list until something has changed.
   *
   * @param maxAgeMs how old the last look at the engine may be. @default as old as that of `list`
   * @throws the engine's error when it has never been looked at
   */
  declared(maxAgeMs?: number): Promise<readonly Declared[]>
  /**
   * What the engine knows of these functions, in their order: of a listed one as of the last look, of another one asked anew. What is
   * gone is left out.
   */
  details(functionIds: readonly string[]): Promise<FunctionDetail[]>
  /** Does the list say what this function returns? Clients hold its results against that. */
  hasOutputSchema(functionId: string): boolean
  /** Which arguments does the list ask 2026-07-28 clients to repeat in headers? */
  headersOf(functionId: string): readonly ParamHeader[]
  /** Takes in what the gate heard of a function: what it learns is listed from then on, and what is gone is not. */
  learn(id: string, detail: FunctionDetail | undefined): void
  /** The engine or the rules have changed: looks again soon, once for a burst. What the rules hide now is not listed until then. */
  invalidate(): void
  /** Looks again now; resolves when the list is that of the engine. */
  refresh(): Promise<void>
  close(): void
}

export interface CatalogOptions {
  readonly directory: Directory
  readonly rules: () => ExposureRules
  /** Do all schemas get what they refer to in the place of references? @default only those that do not declare 2020-12 */
  readonly inlineRefs?: () => boolean
  readonly log: Logger
  /** How often to look when nothing told us to: a change of schema or metadata under the same id is no event. @default 30000 */
  readonly checkMs?: number
  /** A burst of changes is waited out for so long. @default 50 */
  readonly settleMs?: number
  /** Told when the list has other bytes than before. */
  readonly onChange?: () => void
  /** Told when functions declare other resources or templates than before. */
  readonly onDeclaredChange?: () => void
  /** So many tools are listed. @default 10000 */
  readonly maxTools?: number
  /** Told all functions of the engine after each look. */
  readonly onLook?: (rows: readonly { readonly id: string; readonly metadata: unknown }[]) => void
  /** Does anybody wait to hear of changes? Then it looks every now and then, also when nobody asks for the list. */
  readonly isWatched?: () => boolean
}

/** Names that nobody has are no reason to list the whole engine more often than this. */
const FIND_EVERY_MS = 1_000

export function createCatalog(options: CatalogOptions): Catalog {
  const { directory, rules, log, checkMs = 30_000, settleMs = 50 } = options
  let entries = new Map<string, Kept>()
  const prune = createPrune(rules)
  const report = createReport(log)
  const tools = createToolList({ ...options, report })

  async function look(): Promise<void> {
    const current = rules()
    const rows = await directory.list()
    const shown = rows.filter((row) => refuse(row.id, row.metadata, current, 'tool') === undefined)
    const details = await directory.describe(shown.map((row) => row.id))
    const known = entries
    entries = new Map()
    for (const detail of details.values()) put(detail, known)
    tools.render(entries.values())
    options.onLook?.(rows)
  }

  /** @param known what was rendered before, so that only what is new has to be */
  function put(detail: FunctionDetail, known: ReadonlyMap<string, Kept>): boolean {
    if (refuse(detail.id, detail.metadata, rules(), 'tool') !== undefined) return entries.delete(detail.id)
    const form = { inlineAll: options.inlineRefs?.() ?? false }
    const source = JSON.stringify([detail, form])
    const old = known.get(detail.id)
    const kept = old?.source === source ? old : { source, ...toToolEntry(detail, form) }
    report.problems(kept)
    if (entries.get(detail.id) === kept) return false
    entries.set(detail.id, kept)
    return true
  }

  const onError = (error: unknown) => log.warn({ reason: String(error) }, 'the tools of the engine could not be listed')
  const refresher = createRefresher(look, { checkMs, settleMs, inUse: options.isWatched, onError })

  return {
    async list() {
      const current = await refresher.upToDate()
      if (tools.ready === undefined) throw current ?? new Error('The engine has not been asked yet')
      return tools.ready
    },
    async find(toolName) {
      const functionId = parseToolName(toolName) ?? tools.find(toolName)?.functionId
      if (functionId !== undefined || !isHashedToolName(toolName)) return functionId
      await refresher.unlessYoungerThan(FIND_EVERY_MS)
      return tools.find(toolName)?.functionId
    },
    async declared(maxAgeMs) {
      if (maxAgeMs !== undefined) await refresher.unlessYoungerThan(maxAgeMs)
      const failure = maxAgeMs === undefined ? await refresher.upToDate() : undefined
      if (tools.ready === undefined) throw failure ?? new Error('The engine has not been asked yet')
      return tools.declared
    },
    async details(functionIds) {
      await refresher.upToDate()
      const asked = await directory.describe(functionIds.filter((id) => !entries.has(id)))
      return functionIds.flatMap((id) => readSource(entries.get(id)) ?? asked.get(id) ?? [])
    },
    headersOf: (functionId) => entries.get(functionId)?.headers ?? [],
    hasOutputSchema: (functionId) => entries.get(functionId)?.hasOutputSchema === true,
    learn(id, detail) {
      const isGone = detail === undefined && entries.delete(id)
      // What goes seldom goes alone.
      if (isGone) refresher.soon()
      const isChanged = isGone || (detail !== undefined && put(detail, entries))
      // Before the first look there is no list to keep up to date.
      if (isChanged && tools.ready !== undefined) tools.render(entries.values())
    },
    invalidate() {
      if (prune(entries) && tools.ready !== undefined) tools.render(entries.values())
      refresher.soon()
    },
    refresh: () => refresher.now(),
    close: () => refresher.close(),
  }
}

/**
 * Takes away what the rules hide, each time that they have changed: the engine may not answer for long, and the list must not tell that
 * long what has been hidden. Says whether there was something.
 */
function createPrune(rules: () => ExposureRules): (entries: Map<string, Kept>) => boolean {
  let heldTo = JSON.stringify(rules())
  return (entries) => {
    const current = rules()
    const text = JSON.stringify(current)
    if (text === heldTo) return false
    heldTo = text
    const hidden = [...entries].filter(([id, kept]) => refuse(id, readSource(kept)?.metadata, current, 'tool'))
    for (const [id] of hidden) entries.delete(id)
    return hidden.length > 0
  }
}

function readSource(kept: Kept | undefined): FunctionDetail | undefined {
  return kept && (JSON.parse(kept.source) as [FunctionDetail])[0]
}

/** An entry, and what it was rendered from. */
interface Kept extends ToolEntry {
  readonly source: string
}
