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
 * A block in words where the revision that a client speaks does not have it, or its address is none: for one that it cannot read a client
 * refuses the whole result.
 *
 * @returns the very same block where it is known
 */
export function toKnownBlock(block: ContentBlock, { revision }: Pick<McpCall, 'revision'>): ContentBlock {
  if (revision >= (SINCE.get(block.type) ?? '') && hasAddress(block)) return block
  const text = toWords(block, revision)
  const { annotations } = block
  return { type: 'text', text, ...(annotations === undefined ? {} : { annotations }) }
}

function hasAddress(block: ContentBlock): boolean {
  const { uri } = block.type === 'resource' ? block.resource : block
  return typeof uri !== 'string' || !['resource', 'resource_link'].includes(block.type) || URL.canParse(uri)
}

function toWords(block: ContentBlock, revision: string): string {
  if (block.type === 'resource_link') return `${block.name}: ${block.uri}`
  if (block.type !== 'resource') return toAbsence(block, revision)
  const { resource } = block
  if ('text' in resource) return `${resource.uri}: ${String(resource.text)}`
  return `[Left out: ${resource.uri}, which is no address that clients can parse]`
}

function toAbsence(block: ContentBlock, revision: string): string {
  const kind = 'mimeType' in block ? ` (${block.mimeType})` : ''
  return `[Left out: ${block.type}${kind}, which MCP ${revision} does not have]`
}
