import { type ExposureRules, isHashedToolName, parsePlacedToolName, parseToolName } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import type { Principal } from '../../auth/principal.ts'
import type { Directory, DirectoryRow, FunctionDetail, FunctionSource } from '../../gate/directory.ts'
import { refuseKey } from '../../gate/index.ts'
import { type Sight, toKey } from '../../gate/sight.ts'
import { createLoopTurns } from '../../mcp/pieces.ts'
import type { ReadyResult } from '../../mcp/rpc.ts'
import type { Declared } from '../../resources/declared/table.ts'
import { createKnownRows } from './changed-rows.ts'
import type { ListForm } from './held-lists.ts'
import { createKeptTools } from './kept-tools.ts'
import type { RefreshKind } from './looks.ts'
import { createRefresher, type Refresher } from './refresher.ts'
import { createReport } from './report.ts'
import type { ParamHeader } from './schema-headers.ts'
import type { ToolEntry } from './tool-entry.ts'
import { createToolList, type ToolList, type ToolView, type ViewPart } from './tool-list.ts'
import type { SchemaForm } from './tool-schemas.ts'

export { MAX_TOOLS } from './tool-list.ts'

/** The functions of the engine as tools: kept as ready bytes, and rebuilt when the engine changes. */
export interface Catalog {
  /**
   * The result of `tools/list`, as of a second ago or later: within a second of the last look, which is renewed for a while after each use, it is
   * there at once. After that it takes one question to the engine, and an engine that is slow to answer is not waited for long when there is a list.
   *
   * @param form whether what a schema repeats is kept once under `$defs`
   * @throws the engine's error when there has never been a list
   */
  list(form: ListForm, principal: Principal): Promise<ReadyResult>
  /**
   * The tools that a principal may see as they are listed, also those that a list has no room for; the same array until something has changed.
   *
   * @throws the engine's error when there has never been a list
   */
  entries(principal: Principal): Promise<readonly ToolEntry[]>
  /** The same as they are known now, however old that is; none before the first look. */
  known(principal: Principal): readonly ToolEntry[]
  /** Tells each array of all tools as soon as it is there, whether anybody asks or not. */
  onEntries(listener: (entries: readonly ToolEntry[]) => void): void
  /** The names of the tools that a principal may see, as they are known now. */
  names(principal: Principal): Iterable<string>
  /** Is it the name of one of them? */
  hasTool(toolName: string, principal: Principal): boolean
  /** The function behind a tool name; whether a principal may use it the gate says, where the name tells the function by itself. */
  find(toolName: string, principal: Principal): string | undefined | Promise<string | undefined>
  /**
   * What the functions that a principal may see are beside tools, sorted by function id; the same list until something has changed.
   *
   * @throws the engine's error when it has never been looked at
   */
  declared(principal: Principal): Promise<readonly Declared[]>
  /**
   * What the engine knows of these functions, in their order, piece by piece: of a listed one as of the last look, of another one asked
   * anew, and so of all while there has been no look. Undefined for what is gone.
   */
  details(functionIds: readonly string[]): AsyncIterable<readonly (FunctionSource | undefined)[]>
  /** Had the engine this function at the last look, whether clients see it or not? */
  isThere(functionId: string): boolean
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
  readonly directory: Pick<Directory, 'list' | 'describe'>
  /** The same object for as long as they and the form of schemas are the same: with another one, everything is asked for again. */
  readonly rules: () => ExposureRules
  /** @default that of a bridge without other namespaces */
  readonly sight?: Pick<Sight, 'sees'>
  /** How schemas are served, at the moment. @default with response schemas, and with references only in those that declare 2020-12 */
  readonly schemaForm?: () => SchemaForm
  readonly log: Logger
  /** How far the list may be behind the engine, which tells of some changes late and of others never. @default 1000 */
  readonly freshMs?: number
  /** The same for schemas that change under the same id, which takes more than one question. @default 30000 */
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
  /** Does anybody wait to hear of changes? Then the list is kept as fresh as that, also when nobody asks for it. */
  readonly isWatched?: () => boolean
}

/** Of how many functions details are handed out together. */
const PIECE = 512
/** And of how many they are asked for again before whatever else has come is looked at. */
const CHECKED = 128

export function createCatalog(options: CatalogOptions): Catalog {
  const { directory, rules, log, freshMs = 1_000, checkMs = 30_000, settleMs = 50 } = options
  const rows = createKnownRows()
  const describe = (ids: readonly string[]) => directory.describe(ids, 'list')
  const report = createReport(log)
  const kept = createKeptTools({ ...options, describe, report })
  const { entries } = kept
  const tools = createToolList({ ...options, report })
  const renew = () => tools.renew(() => entries.values())

  /** The list, and what it says of each, tell most of what changes: details are asked for of what is another than before. */
  async function look(kind: RefreshKind, pause: () => Promise<void>): Promise<void> {
    const current = rules()
    rows.ask()
    const seen = await directory.list()
    const changed = rows.compare(seen, current)
    if (kind === 'glance' && changed.isNothing) return
    const isShown = ({ id, metadata }: DirectoryRow) => refuseKey(id, metadata, current, 'tool') === undefined
    const ids = seen.filter(isShown).map(({ id }) => id)
    const others = ids.filter((id) => !changed.ids.has(id))
    await kept.ask(
      ids.filter((id) => changed.ids.has(id)),
      others,
    )
    report.forget((id) => entries.has(id))
    rows.keep(seen, current)
    tools.render(entries.values())
    options.onLook?.(seen)
    if (kind === 'full') await check(others, pause)
  }

  /** Only the details tell schemas. */
  async function check(ids: readonly string[], pause: () => Promise<void>): Promise<void> {
    for (const some of toPieces(ids, CHECKED)) {
      await pause()
      if (await kept.ask(some)) renew()
    }
  }

  const onError = (error: unknown) => log.warn({ reason: String(error) }, 'the tools of the engine could not be listed')
  const refresher = createRefresher(look, { freshMs, checkMs, settleMs, inUse: options.isWatched, onError })
  const read = createRead(refresher, tools)

  return {
    list: async (form, principal) => (await read('ready', principal))[form],
    ...{ entries: (principal) => read('entries', principal), onEntries: tools.onEntries },
    known: (principal) => tools.of(principal)?.entries ?? [],
    names: (principal) => tools.of(principal)?.names() ?? [],
    hasTool: (toolName, principal) => tools.of(principal)?.find(toolName) !== undefined,
    find: (toolName, principal) =>
      findKey(toolName, () => tools.of(principal)?.find(toolName)?.functionId, refresher.upToDate),
    declared: (principal) => read('declared', principal),
    async *details(functionIds) {
      if (!rows.isEmpty()) await refresher.upToDate()
      for (const ids of toPieces(functionIds, PIECE)) {
        const asked = await describe(ids.filter((id) => !entries.has(id)))
        yield ids.map((id) => entries.get(id) ?? toSource(asked.get(id)))
      }
    },
    isThere: rows.has,
    headersOf: (functionId) => entries.get(functionId)?.headers ?? [],
    hasOutputSchema: (functionId) => entries.get(functionId)?.hasOutputSchema === true,
    learn(id, detail) {
      if (!kept.learn(id, detail)) return
      if (detail === undefined) {
        rows.leave(id)
        // What goes seldom goes alone.
        refresher.soon()
      }
      renew()
    },
    invalidate() {
      if (kept.prune()) renew()
      refresher.soon()
    },
    ...{ refresh: refresher.now, close: refresher.close },
  }
}

function toPieces(ids: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, nth) => ids.slice(nth * size, (nth + 1) * size))
}

/** After each change the lists of all who watch with rights of their own are looked at: what is not made yet is made, one in a turn. */
function createRead(refresher: Refresher, tools: ToolList) {
  const takeTurn = createLoopTurns()
  return async <Part extends ViewPart>(part: Part, principal: Principal): Promise<ToolView[Part]> => {
    const failure = await refresher.upToDate()
    if (!tools.isMade(part, principal)) await takeTurn()
    return requireView(failure, tools.of(principal))[part]
  }
}

/** @throws the engine's error when there has never been a list */
function requireView(failure: unknown, view: ToolView | undefined): ToolView {
  if (view === undefined) throw failure ?? new Error('The engine has not been asked yet')
  return view
}

/** @param findListed looks for the name among those that are listed; a hash that is none of them may be of something newer */
function findKey(
  toolName: string,
  findListed: () => string | undefined,
  upToDate: () => Promise<unknown>,
): ReturnType<Catalog['find']> {
  const functionId = toFunctionKey(toolName) ?? findListed()
  if (functionId !== undefined || !isHashedToolName(toolName)) return functionId
  return upToDate().then(findListed)
}

const MAX_NAMES = 2_000
const keys = new Map<string, string>()

/** Whose a name is that says it by itself; it need not be there, or in sight. A busy tool's is not read anew for each call. */
function toFunctionKey(toolName: string): string | undefined {
  const known = keys.get(toolName)
  if (known !== undefined) return known
  const placed = parsePlacedToolName(toolName)
  const key = placed === undefined ? parseToolName(toolName) : toKey(placed)
  if (key === undefined) return undefined
  if (keys.size >= MAX_NAMES) keys.clear()
  keys.set(toolName, key)
  return key
}

function toSource(detail: FunctionDetail | undefined): FunctionSource | undefined {
  return detail && { detail: () => detail }
}
