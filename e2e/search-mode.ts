/**
 * The files of scenarios that the test command runs twice, with `tools: all` and with `tools: search`: those in which official clients
 * use all that MCP knows. There every host finds its tools by `search_tools` and calls them through `call_tool`.
 */
export const IN_SEARCH_MODE: readonly string[] = [
  'clients',
  'clients-inspector',
  'curl',
  'model-forms',
  'model-task',
  'stdio-clients',
]

let isChosen = false

/** From now on bridges are started with `tools: search`, or not. */
export function chooseSearchMode(chosen: boolean): void {
  isChosen = chosen
}

export function isSearchMode(): boolean {
  return isChosen
}

/** The flags that this is for a bridge. */
export function listFlags(): readonly string[] {
  return isChosen ? ['--tools', 'search'] : []
}

const ALWAYS_LISTED: ReadonlySet<string> = new Set(['search_tools', 'call_tool', 'skill__fetch'])

/** What a host calls that wants a tool: itself, or what calls it. */
export function toListedCall(name: string, args: Record<string, unknown>) {
  const isListed = !isChosen || ALWAYS_LISTED.has(name)
  return isListed ? { name, arguments: args } : { name: 'call_tool', arguments: { name, arguments: args } }
}

/** The request whose answer shows a host a tool and its arguments: the list of all tools, or a search for it. */
export function toShowing(words: string): [method: string, params: Record<string, unknown>] {
  return isChosen ? ['tools/call', { name: 'search_tools', arguments: { query: words } }] : ['tools/list', {}]
}

/** The tools in the answer to that. */
export function readFoundTools<T>(result: unknown): T[] {
  const { tools, structuredContent } = (result ?? {}) as { tools?: T[]; structuredContent?: { tools: T[] } }
  return (isChosen ? structuredContent?.tools : tools) ?? []
}
