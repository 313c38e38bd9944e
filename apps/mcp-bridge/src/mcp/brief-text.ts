import { isDeepStrictEqual } from 'node:util'
import { isRecord, type JsonObject } from '@iii/protocol'
import type { McpCall } from './call.ts'

/** What a client declares under `experimental` whose model reads `structuredContent`. MCP has no word for it. */
const READS_DATA = 'iii/structured-content'
const TEXT = 'The result is in structuredContent.'

/**
 * The result of a tool without the text that only says the data again, for a client that has declared that its model reads the data. Any
 * other text stays, and so does one that is no longer than what would take its place.
 *
 * @returns the very same result where nothing is left out
 */
export function toBrief<T extends object>(result: T, { capabilities }: Pick<McpCall, 'capabilities'>): T {
  const { experimental } = capabilities
  if (!isRecord(experimental) || !isRecord(experimental[READS_DATA])) return result
  const { content, structuredContent, isError } = result as JsonObject
  if (!Array.isArray(content) || content.length !== 1 || isError === true) return result
  const [block] = content as unknown[]
  if (!isRecord(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return result
  if (block['text'].length <= TEXT.length || !isRepeated(block['text'], structuredContent)) return result
  return { ...result, content: [{ ...block, text: TEXT }] }
}

/** Is it there as data, by itself or as what an output schema calls `result`? */
function isRepeated(text: string, data: unknown): boolean {
  if (!isRecord(data)) return false
  return [text, parse(text)].some(
    (value) => isDeepStrictEqual(data, value) || isDeepStrictEqual(data, { result: value }),
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
