import { isRecord, ResourceContents, toSectionContent } from '@iii/protocol'
import type { ReadResourceResult } from '@modelcontextprotocol/server'

type Contents = ReadResourceResult['contents']

/**
 * Turns what a function returned into MCP resource contents: `{ text }` and `{ blob }` with their `mimeType`, a string, `{ contents: […] }`
 * whose items may leave out address and type; anything else is JSON.
 *
 * @param mimeType what the function declared; what it returns with a result counts before it
 */
export function toContents(value: unknown, uri: string, mimeType: string | undefined): Contents {
  const several = isRecord(value) ? value['contents'] : undefined
  if (Array.isArray(several)) {
    const items = several.map((item) => toItem(item, uri, mimeType))
    if (items.every((item) => item !== undefined)) return items
  }
  if (typeof value === 'string') return [{ uri, mimeType: mimeType ?? 'text/plain', text: value.toWellFormed() }]
  return [toItem(value, uri, mimeType) ?? { uri, ...toSectionContent(value) }]
}

function toItem(value: unknown, uri: string, mimeType: string | undefined): Contents[number] | undefined {
  if (!isRecord(value)) return undefined
  const type = mimeType ?? ('blob' in value ? 'application/octet-stream' : 'text/plain')
  const item = { uri, mimeType: type, ...value }
  return ResourceContents.safeParse(item).success ? (item as Contents[number]) : undefined
}
