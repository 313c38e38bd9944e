/**
 * The files of scenarios that the test command runs twice, with `tools: all` and with `tools: search`: those in which official clients
 * use all that MCP knows. There every host finds its tools by `search_tools` and calls them through `call_tool`.
 */
export const IN_SEARCH_MODE: readonly string[] = ['clients', 'stdio-clients']

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

/** What a host calls that wants a tool: itself, or what calls it. */
export function toListedCall(name: string, args: Record<string, unknown>) {
  const isListed = !isChosen || name === 'search_tools' || name === 'call_tool'
  return isListed ? { name, arguments: args } : { name: 'call_tool', arguments: { name, arguments: args } }
}
