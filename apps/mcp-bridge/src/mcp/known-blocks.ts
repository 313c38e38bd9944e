import type { ContentBlock } from '@iii/protocol'
import type { McpCall } from './call.ts'

/** The revision since which clients know all blocks that there are. */
export const ALL_BLOCKS_SINCE = '2025-06-18'

/** The revisions that brought them; other blocks are as old as MCP. */
const SINCE: ReadonlyMap<string, string> = new Map([
  ['audio', '2025-03-26'],
  ['resource_link', ALL_BLOCKS_SINCE],
])

/**
 * A block in words where the revision that a client speaks does not have it: for one that it does not know a client refuses the whole
 * result.
 *
 * @returns the very same block where it is known
 */
export function toKnownBlock(block: ContentBlock, { revision }: Pick<McpCall, 'revision'>): ContentBlock {
  if (revision >= (SINCE.get(block.type) ?? '')) return block
  const text = block.type === 'resource_link' ? `${block.name}: ${block.uri}` : toAbsence(block, revision)
  const { annotations } = block
  return { type: 'text', text, ...(annotations === undefined ? {} : { annotations }) }
}

function toAbsence(block: ContentBlock, revision: string): string {
  const kind = 'mimeType' in block ? ` (${block.mimeType})` : ''
  return `[Left out: ${block.type}${kind}, which MCP ${revision} does not have]`
}
