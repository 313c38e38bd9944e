import {
  CALL_TOOL_NAME,
  FETCH_TOOL_ID,
  isManagementToolName,
  type JsonObject,
  SEARCH_TOOL_NAME,
  type ToolResult,
  toToolError,
  toToolResult,
} from '@iii/protocol'
import type { Principal } from '../../auth/principal.ts'
import type { Management } from '../../management/index.ts'
import type { McpCall } from '../../mcp/call.ts'
import type { UnwrappedCall } from '../../mcp/contract.ts'
import type { Params } from '../../mcp/params.ts'
import { type ReadyResult, toReady } from '../../mcp/rpc.ts'
import type { BridgeOptions } from '../../options.ts'
import { type ListForm, toListForm } from '../catalog/held-lists.ts'
import type { Catalog } from '../catalog/index.ts'
import { type ToolEntry, toToolRow } from '../catalog/tool-entry.ts'
import { toFoundTools, toNothingFound } from './found-tools.ts'
import { parseSearchRequest, parseWrappedCall, type SearchRequest } from './search-request.ts'
import { createToolIndex, type ToolsFound } from './tool-index.ts'
import { SEARCH_ROWS } from './tool-rows.ts'

/** Many tools in little context: a list has few of them, and two tools that find and call the others. */
export interface ToolSearch {
  list(call: McpCall): Promise<ReadyResult>
  /** What is listed while nothing is known of the engine. */
  readonly builtIn: ReadyResult
  /** Answers a call of one of the two tools by its own name. */
  call(name: string, input: JsonObject, call: McpCall): Promise<ToolResult>
  /** The names of tools that do what the name of one that is not there says, the best first, as of the last list. */
  suggest(name: string, principal: Principal): Promise<string[]>
  /** The call of the tool that `call_tool` is asked to call; undefined where it is asked for none, or for one that has to be called by its name. */
  unwrap(params: Params<'tools/call'>, call: McpCall): UnwrappedCall | undefined
}

export interface ToolSearchOptions {
  readonly catalog: Pick<Catalog, 'entries' | 'known' | 'onEntries'>
  readonly management: Pick<Management, 'isThere'>
  readonly options: () => Pick<BridgeOptions, 'tools' | 'pinnedTools'>
  readonly onSearch: OnSearch
}

/** Somebody has searched. @param ms how long it took, with the look at what there is */
export type OnSearch = (ms: number, outcome: 'found' | 'nothing') => void

/** So many tools are pinned by what they say of themselves: a list that everybody wants to be in is no shorter than that of all. */
const MAX_PINNED = 20
const MAX_SUGGESTED = 2

export function createToolSearch({ catalog, management, options, onSearch }: ToolSearchOptions): ToolSearch {
  const index = createToolIndex<ToolEntry>()
  const lists = new WeakMap<readonly ToolEntry[], PinnedLists>()
  /** All tools there are, whoever sees them. */
  let all: readonly ToolEntry[] = []
  let indexed: readonly ToolEntry[] | undefined
  let indexing = Promise.resolve()

  function toPinned(entries: readonly ToolEntry[], principal: Principal): PinnedLists {
    const { pinnedTools } = options()
    const known = lists.get(entries)
    if (known?.pinnedTools === pinnedTools) return known
    const rows = pickPinned(entries, pinnedTools)
    const made = {
      pinnedTools,
      names: new Set(rows.map(({ name }) => name)),
      inlined: toList(rows.map((row) => toToolRow(row, 'inlined', principal))),
      shared: toList(rows.map((row) => toToolRow(row, 'shared', principal))),
    }
    lists.set(entries, made)
    return made
  }

  /** Tools that are listed are: a host that asks its user for each tool asks for that one. Pinned are those of the last list. */
  function isCalledByName(name: string, call: McpCall): boolean {
    if (isManagementToolName(name)) return management.isThere(call)
    return isSearchTool(name) || toPinned(catalog.known(call.principal), call.principal).names.has(name)
  }

  function take(): void {
    if (all === indexed) return
    indexed = all
    indexing = index.update(all)
  }

  async function read({ principal }: McpCall): Promise<readonly ToolEntry[]> {
    const entries = await catalog.entries(principal)
    take()
    return entries
  }

  // Where anybody searches, or will: ahead of the next search.
  catalog.onEntries((entries) => {
    all = entries
    if (indexed !== undefined || options().tools === 'search') take()
  })

  async function find({ queries, limit }: SearchRequest, call: McpCall): Promise<Seen> {
    const startedAt = performance.now()
    const visible = await read(call)
    await indexing
    const each = queries.map((query) => index.search(query, limit, visible))
    const found = interleave(each, limit)
    onSearch(performance.now() - startedAt, found.tools.length === 0 ? 'nothing' : 'found')
    return { ...found, visible }
  }

  return {
    async list(call) {
      const entries = await read(call)
      return toPinned(entries, call.principal)[toListForm(call)]
    },
    builtIn: toList([]),
    async call(name, input, call) {
      if (name === CALL_TOOL_NAME) return toToolError(refuseWrapped(input, (wrapped) => isCalledByName(wrapped, call)))
      const request = parseSearchRequest(input)
      if (typeof request === 'string') return toToolError(request)
      return toAnswer(await find(request, call), request.detail, toListForm(call))
    },
    async suggest(name, principal) {
      take()
      await indexing
      return index.search(name, MAX_SUGGESTED, catalog.known(principal)).tools.map((entry) => entry.name)
    },
    unwrap(params, call) {
      const wrapped = params.name === CALL_TOOL_NAME ? parseWrappedCall(params.arguments) : undefined
      if (wrapped === undefined || isCalledByName(wrapped.name, call)) return undefined
      // Its own schema asks for no headers that repeat arguments.
      return {
        params: { ...params, name: wrapped.name, arguments: wrapped.arguments },
        call: { ...call, paramHeader: undefined },
      }
    },
  }
}

/** What was found, of all that whoever asks may see. */
interface Seen extends ToolsFound<ToolEntry> {
  readonly visible: readonly ToolEntry[]
}

function toAnswer({ tools, fitting, visible }: Seen, detail: SearchRequest['detail'], form: ListForm): ToolResult {
  return toToolResult(
    tools.length === 0 ? toNothingFound(visible) : toFoundTools(tools, fitting.length, { detail, form }),
  )
}

interface PinnedLists extends Readonly<Record<ListForm, ReadyResult>> {
  readonly pinnedTools: readonly string[]
  readonly names: ReadonlySet<string>
}

function pickPinned(entries: readonly ToolEntry[], pinnedTools: readonly string[]): ToolEntry[] {
  const always = new Set([FETCH_TOOL_ID, ...pinnedTools])
  const asking = entries.filter(({ pinned, functionId }) => pinned && !always.has(functionId)).slice(0, MAX_PINNED)
  const picked = new Set(asking)
  return entries.filter((entry) => always.has(entry.functionId) || picked.has(entry))
}

function toList(rows: readonly string[]): ReadyResult {
  return toReady(`"tools":[${[...SEARCH_ROWS, ...rows].join(',')}]`)
}

/** Is it one of the two tools? */
export function isSearchTool(name: string): boolean {
  return name === SEARCH_TOOL_NAME || name === CALL_TOOL_NAME
}

function refuseWrapped(input: JsonObject, isCalledByName: (name: string) => boolean): string {
  const wrapped = parseWrappedCall(input)
  if (wrapped !== undefined && isCalledByName(wrapped.name)) {
    return `${wrapped.name} is called by its own name, and not with call_tool`
  }
  return "call_tool needs 'name', the name of a tool, and 'arguments', an object with what its inputSchema asks for; search_tools tells both"
}

/** The first of each question, then the second of each, and so on; none twice. */
function interleave(found: readonly ToolsFound<ToolEntry>[], limit: number): ToolsFound<ToolEntry> {
  const all = Array.from({ length: limit }, (_, at) => found.flatMap(({ tools }) => tools[at] ?? [])).flat()
  return { tools: [...new Set(all)].slice(0, limit), fitting: [...new Set(found.flatMap(({ fitting }) => fitting))] }
}
