import type { ContentBlock } from '@iii/protocol'

/** Pieces of a tool result: `{ content: [textBlock('Sales'), imageBlock(png, 'image/png')] }`. */

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

/** @param data bytes, or base64. */
export function imageBlock(data: Uint8Array | string, mimeType: string): ContentBlock {
  return { type: 'image', data: toBase64(data), mimeType }
}

/** @param data bytes, or base64. */
export function audioBlock(data: Uint8Array | string, mimeType: string): ContentBlock {
  return { type: 'audio', data: toBase64(data), mimeType }
}

/** A resource that the client may read when it wants to. */
export function linkBlock(
  uri: string,
  name: string,
  facts: { title?: string; description?: string; mimeType?: string } = {},
): ContentBlock {
  return { type: 'resource_link', uri, name, ...facts }
}

/** A resource that comes along. @param content a text, or bytes. */
export function resourceBlock(uri: string, content: string | Uint8Array, mimeType?: string): ContentBlock {
  const kind = mimeType === undefined ? {} : { mimeType }
  const body = typeof content === 'string' ? { text: content } : { blob: toBase64(content) }
  return { type: 'resource', resource: { uri, ...kind, ...body } }
}

function toBase64(data: Uint8Array | string): string {
  if (typeof data === 'string') return data
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
}
