import { isRecord, toJsonText } from '@iii/protocol'
import type { McpCall } from './call.ts'
import { type ReadyResult, toReady } from './rpc.ts'

/**
 * What `toToolResult` makes of an object that is data: its JSON stands in the reply as text and as data, and is written once for both.
 *
 * @param maxBytes of text and of data, together
 * @returns undefined for what may be a tool result by itself, for what is too large, and where the text would only repeat what is read
 */
export function toDataResult(
  value: unknown,
  call: Pick<McpCall, 'capabilities'>,
  maxBytes: number,
): ReadyResult | undefined {
  if (!isRecord(value) || 'content' in value || readsData(call)) return undefined
  const json = toJsonText(value)
  // An object may write itself as something else.
  if (json?.startsWith('{') !== true || 2 * Buffer.byteLength(json) > maxBytes) return undefined
  return toReady(`"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`)
}

/** What a client declares under `experimental` whose model reads `structuredContent`. MCP has no word for it. */
const READS_DATA = 'iii/structured-content'

export function readsData({ capabilities: { experimental } }: Pick<McpCall, 'capabilities'>): boolean {
  return isRecord(experimental) && isRecord(experimental[READS_DATA])
}
