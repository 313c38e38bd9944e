const label = /(?:^|\.)(?:modelcontextprotocol|mcp)(?:\.|$)/

/**
 * Tells whether a key of `_meta` is one that MCP keeps for itself: a label of its prefix is `modelcontextprotocol` or `mcp`.
 *
 * @example
 * isReservedMetaKey('io.modelcontextprotocol/related-task') // true
 */
export function isReservedMetaKey(key: string): boolean {
  // In the prefix alone: a pattern for all of a key takes minutes for a long one.
  const slash = key.indexOf('/')
  return slash !== -1 && label.test(key.slice(0, slash))
}
