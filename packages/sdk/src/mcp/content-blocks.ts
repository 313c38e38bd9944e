import { ContentBlock, Fault } from '@iii/protocol'
import { formatIssues } from '../schema/issue-text.ts'
import { refuseMistyped, toKind } from '../suggestions/mistyped.ts'

/**
 * Pieces of a tool result: `{ content: [textBlock('Sales'), imageBlock(png, 'image/png')] }`. Each throws a Fault `invalid_input` for what makes
 * no block: clients would be shown the whole result as JSON in its place.
 */

export function textBlock(text: string): ContentBlock {
  return toBlock('textBlock', { type: 'text', text })
}

/** @param data bytes, or base64. */
export function imageBlock(data: Uint8Array | ArrayBuffer | string, mimeType: string): ContentBlock {
  requireMimeType('imageBlock', mimeType, 'image/png')
  return toBlock('imageBlock', { type: 'image', data: toData('imageBlock', data), mimeType })
}

/** @param data bytes, or base64. */
export function audioBlock(data: Uint8Array | ArrayBuffer | string, mimeType: string): ContentBlock {
  requireMimeType('audioBlock', mimeType, 'audio/wav')
  return toBlock('audioBlock', { type: 'audio', data: toData('audioBlock', data), mimeType })
}

/** A resource that the client may read when it wants to. */
export function linkBlock(
  uri: string,
  name: string,
  facts: { title?: string; description?: string; mimeType?: string } = {},
): ContentBlock {
  refuseMistyped('linkBlock(uri, name, facts)', facts, { title: true, description: true, mimeType: true })
  requireUri('linkBlock', uri)
  requireMimeType('linkBlock', facts.mimeType, 'text/markdown')
  return toBlock('linkBlock', { type: 'resource_link', uri, name, ...facts })
}

/** A resource that comes along. @param content a text, or bytes. */
export function resourceBlock(
  uri: string,
  content: string | Uint8Array | ArrayBuffer,
  mimeType?: string,
): ContentBlock {
  requireUri('resourceBlock', uri)
  requireMimeType('resourceBlock', mimeType, 'text/markdown')
  const kind = mimeType === undefined ? {} : { mimeType }
  const body = typeof content === 'string' ? { text: content } : { blob: toBase64('resourceBlock', content) }
  return toBlock('resourceBlock', { type: 'resource', resource: { uri, ...kind, ...body } })
}

function toBlock(name: string, block: ContentBlock): ContentBlock {
  const { error } = ContentBlock.safeParse(block)
  if (error !== undefined) throw new Fault('invalid_input', formatIssues(error.issues, name))
  return block
}

/** A client that knows no such type shows nothing, and a model's provider may refuse the whole conversation. @param example with the right beginning */
function requireMimeType(name: string, given: unknown, example: string): void {
  const [kind = ''] = example.split('/')
  const isMet =
    typeof given !== 'string' ||
    (MIME_TYPE.test(given) && (kind === 'text' || given.toLowerCase().startsWith(`${kind}/`)))
  if (!isMet) throw new Fault('invalid_input', `${name}.mimeType: must be a type such as '${example}', not '${given}'`)
}

const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+( *;.*)?$/

function requireUri(name: string, given: unknown): void {
  if (typeof given !== 'string' || /^[a-z][a-z0-9+.-]*:/i.test(given)) return
  throw new Fault(
    'invalid_input',
    `${name}.uri: must be an address with a scheme, such as 'orders://7', not '${given}'`,
  )
}

/** Providers of models refuse a conversation with an image of no bytes. */
function toData(name: string, given: Uint8Array | ArrayBuffer | string): string {
  const data = toBase64(name, given)
  if (data === '') throw new Fault('invalid_input', `${name}.data: has no bytes`)
  return data
}

function toBase64(name: string, data: Uint8Array | ArrayBuffer | string): string {
  if (typeof data === 'string') return data
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64')
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString('base64')
  throw new Fault('invalid_input', `${name} takes bytes (a Uint8Array) or a text, not ${toKind(data)}`)
}
