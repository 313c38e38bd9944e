import { ContentBlock, Fault } from '@iii/protocol'
import { formatIssues } from '../schema/issue-text.ts'
import { toKind } from '../suggestions/mistyped.ts'

/**
 * Pieces of a tool result: `{ content: [textBlock('Sales'), imageBlock(png, 'image/png')] }`. Each throws a Fault `invalid_input` for what makes
 * no block: clients would be shown the whole result as JSON in its place.
 */

export function textBlock(text: string): ContentBlock {
  return toBlock('textBlock', { type: 'text', text })
}

/** @param data bytes, or base64. */
export function imageBlock(data: Uint8Array | ArrayBuffer | string, mimeType: string): ContentBlock {
  return toBlock('imageBlock', { type: 'image', data: toBase64('imageBlock', data), mimeType })
}

/** @param data bytes, or base64. */
export function audioBlock(data: Uint8Array | ArrayBuffer | string, mimeType: string): ContentBlock {
  return toBlock('audioBlock', { type: 'audio', data: toBase64('audioBlock', data), mimeType })
}

/** A resource that the client may read when it wants to. */
export function linkBlock(
  uri: string,
  name: string,
  facts: { title?: string; description?: string; mimeType?: string } = {},
): ContentBlock {
  return toBlock('linkBlock', { type: 'resource_link', uri, name, ...facts })
}

/** A resource that comes along. @param content a text, or bytes. */
export function resourceBlock(
  uri: string,
  content: string | Uint8Array | ArrayBuffer,
  mimeType?: string,
): ContentBlock {
  const kind = mimeType === undefined ? {} : { mimeType }
  const body = typeof content === 'string' ? { text: content } : { blob: toBase64('resourceBlock', content) }
  return toBlock('resourceBlock', { type: 'resource', resource: { uri, ...kind, ...body } })
}

function toBlock(name: string, block: ContentBlock): ContentBlock {
  const { error } = ContentBlock.safeParse(block)
  if (error !== undefined) throw new Fault('invalid_input', formatIssues(error.issues, name))
  return block
}

function toBase64(name: string, data: Uint8Array | ArrayBuffer | string): string {
  if (typeof data === 'string') return data
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString('base64')
  throw new Fault('invalid_input', `${name} takes bytes (a Uint8Array) or a text, not ${toKind(data)}`)
}
