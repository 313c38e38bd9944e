import { ContentBlock, isRecord, type JsonObject, toJsonText } from '@iii/protocol'
import type { ResultPiece } from './fitting.ts'

/**
 * A block of content that every client can read: itself, or a text that shows what it was.
 *
 * @param block without secrets, of bounded depth
 */
export function toContentBlock(block: unknown): JsonObject {
  if (isRecord(block) && ContentBlock.safeParse(block).success) return block
  const binary = isRecord(block) ? nameBinary(block) : undefined
  // Megabytes that are no base64, or were not any more without a secret, help nobody as text.
  if (binary !== undefined) return toTextBlock(`[${binary} is left out: what it holds is no base64, or held a secret]`)
  return toTextBlock(typeof block === 'string' ? block : (toJsonText(block) ?? 'null'))
}

export function toTextBlock(text: string): JsonObject {
  return { type: 'text', text }
}

export function toBlockPiece(block: JsonObject): ResultPiece {
  return { value: block, text: readText(block), reduced: (text) => reduce(block, text) }
}

function nameBinary({ type, data, resource }: JsonObject): string | undefined {
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return `${type} content`
  return type === 'resource' && isRecord(resource) && typeof resource['blob'] === 'string'
    ? 'binary content'
    : undefined
}

function readText({ text, resource }: JsonObject): string | undefined {
  if (typeof text === 'string') return text
  return isRecord(resource) && typeof resource['text'] === 'string' ? resource['text'] : undefined
}

/** What the block says of itself is not worth its place beside a text that is cut; where a text is from is. */
function reduce({ type, resource, text: own }: JsonObject, text: string): JsonObject {
  const isFile = type === 'resource' && own === undefined && isRecord(resource)
  return isFile ? { type, resource: { uri: resource['uri'], text } } : toTextBlock(text)
}
