import { type ExposureRules, isHashedToolName, parseToolName, refuse } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import { type ReadyResult, toReady } from '../call.ts'
import type { Directory, FunctionDetail } from '../directory.ts'
import { createRefresher } from './refresher.ts'
import { createReport } from './report.ts'
import { type ToolEntry, toToolEntry } from './tool-entry.ts'

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
  /** Does the list say what this function returns? Clients hold its results against that. */
  hasOutputSchema(functionId: string): boolean
  /** Takes in what the gate heard of a function: what it learns is listed from then on, and what is gone is not. */
  learn(id: string, detail: FunctionDetail | undefined): void
  /** The engine or the rules have changed: looks again soon, once for a burst. */
  invalidate(): void
  /** Looks again now; resolves when the list is that of the engine. */
  refresh(): Promise<void>
  close(): void
}

export interface CatalogOptions {
  readonly directory: Directory
  readonly rules: () => ExposureRules
  readonly log: Logger
  /** How often to look when nothing told us to: a change of schema or metadata under the same id is no event. @default 30000 */
  readonly checkMs?: number
  /** A burst of changes is waited out for so long. @default 50 */
  readonly settleMs?: number
}

/** Names that nobody has are no reason to list the whole engine more often than this. */
const FIND_EVERY_MS = 1_000

export function createCatalog(options: CatalogOptions): Catalog {
  const { directory, rules, log, checkMs = 30_000, settleMs = 50 } = options
  let entries = new Map<string, Kept>()
  let byName = new Map<string, ToolEntry>()
  let ready: ReadyResult | undefined
  const report = createReport(log)

  async function look(): Promise<void> {
    const current = rules()
    const rows = await directory.list()
    const shown = rows.filter((row) => refuse(row.id, row.metadata, current, 'tool') === undefined)
    const details = await directory.describe(shown.map((row) => row.id))
    const known = entries
    entries = new Map()
    for (const detail of details.values()) put(detail, known)
    render()
  }

  /** @param known what was rendered before, so that only what is new has to be */
  function put(detail: FunctionDetail, known: ReadonlyMap<string, Kept>): boolean {
    if (refuse(detail.id, detail.metadata, rules(), 'tool') !== undefined) return entries.delete(detail.id)
    const source = JSON.stringify(detail)
    const old = known.get(detail.id)
    const kept = old?.source === source ? old : { source, ...toToolEntry(detail) }
    report.problems(kept)
    if (entries.get(detail.id) === kept) return false
    entries.set(detail.id, kept)
    return true
  }

  function render(): void {
    byName = new Map()
    // By id first, so that of two functions with one name the same one wins on every bridge.
    for (const entry of [...entries.values()].sort((a, b) => compare(a.functionId, b.functionId))) {
      const winner = byName.get(entry.name)
      if (winner === undefined) byName.set(entry.name, entry)
      else report.loser(entry, winner)
    }
    const rows = [...byName.values()].sort((a, b) => compare(a.name, b.name)).map((entry) => entry.json)
    ready = toReady(`"tools":[${rows.join(',')}]`)
  }

  const refresher = createRefresher(look, {
    checkMs,
    settleMs,
    onError: (error) => log.warn({ reason: String(error) }, 'the tools of the engine could not be listed'),
  })

  return {
    async list() {
      const current = await refresher.upToDate()
      if (ready === undefined) throw current ?? new Error('The engine has not been asked yet')
      return ready
    },
    async find(toolName) {
      const functionId = parseToolName(toolName) ?? byName.get(toolName)?.functionId
      if (functionId !== undefined || !isHashedToolName(toolName)) return functionId
      await refresher.unlessYoungerThan(FIND_EVERY_MS)
      return byName.get(toolName)?.functionId
    },
    hasOutputSchema: (functionId) => entries.get(functionId)?.hasOutputSchema === true,
    learn(id, detail) {
      const isGone = detail === undefined && entries.delete(id)
      // What goes seldom goes alone.
      if (isGone) refresher.soon()
      const isChanged = isGone || (detail !== undefined && put(detail, entries))
      // Before the first look there is no list to keep up to date.
      if (isChanged && ready !== undefined) render()
    },
    invalidate: () => refresher.soon(),
    refresh: () => refresher.now(),
    close: () => refresher.close(),
  }
}

/** An entry, and what it was rendered from. */
interface Kept extends ToolEntry {
  readonly source: string
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
