import { isRecord, type JsonObject } from '@iii/protocol'
import { toJsonBytes } from '@iii/sdk/call-feed'
import type { SecretFilter } from '../redaction/secret-filter.ts'
import type { ResultBounds } from './bound-result.ts'
import { toBlockPiece, toContentBlock } from './content-blocks.ts'
import { fitPieces, type ResultPiece } from './fitting.ts'

/** Entries of a resource and messages of a prompt, at the most. */
const MAX_ENTRIES = 256
/** For what is around them. */
const FRAME_BYTES = 256

/** What MCP `resources/read` gave, as it may be handed on: texts keep head and tail, files are whole or mentioned. */
export function boundContents(result: unknown, bounds: ResultBounds, filter: SecretFilter): JsonObject {
  const entries = readList(result, 'contents', filter).filter(isRecord)
  const pieces = entries.slice(0, MAX_ENTRIES).map(toEntryPiece)
  const { values, gone } = fitPieces(pieces, bounds.resultBytes - FRAME_BYTES)
  return { contents: values, ...toCount(entries.length - pieces.length + gone) }
}

/** What MCP `prompts/get` gave, as it may be handed on. */
export function boundMessages(result: unknown, bounds: ResultBounds, filter: SecretFilter): JsonObject {
  const messages = readList(result, 'messages', filter).filter(isRecord)
  const pieces = messages.slice(0, MAX_ENTRIES).map(toMessagePiece)
  const description = isRecord(result) ? filter.value(result['description']) : undefined
  const kept = typeof description === 'string' && toJsonBytes(description) <= bounds.resultBytes / 4
  const frame = kept ? { description } : {}
  const { values, gone } = fitPieces(pieces, bounds.resultBytes - FRAME_BYTES - toJsonBytes(frame))
  return { ...frame, messages: values, ...toCount(messages.length - pieces.length + gone) }
}

/** Rows of a list of resources, templates or prompts, as far as they fit; how many do not is said in `left_out`. */
export function boundRows(rows: readonly unknown[], bounds: ResultBounds, filter: SecretFilter) {
  let room = bounds.resultBytes - FRAME_BYTES
  const kept: JsonObject[] = []
  for (const row of rows) {
    const [[clean] = []] = filter.value([[row]])
    if (!isRecord(clean)) continue
    room -= toJsonBytes(clean) + 1
    if (room < 0) break
    kept.push(clean)
  }
  return { rows: kept, ...toCount(rows.filter(isRecord).length - kept.length) }
}

function readList(result: unknown, key: string, filter: SecretFilter): readonly unknown[] {
  const list = isRecord(result) ? filter.value({ list: result[key] }).list : []
  return Array.isArray(list) ? list : []
}

function toCount(leftOut: number): { left_out?: number } {
  return leftOut === 0 ? {} : { left_out: leftOut }
}

function toEntryPiece(entry: JsonObject): ResultPiece {
  const { uri, text } = entry
  return {
    value: entry,
    text: typeof text === 'string' ? text : undefined,
    reduced: (short) => ({ uri, text: short }),
  }
}

function toMessagePiece(message: JsonObject): ResultPiece {
  const role = message['role'] === 'assistant' ? 'assistant' : 'user'
  const piece = toBlockPiece(toContentBlock(message['content']))
  return {
    value: { role, content: piece.value },
    text: piece.text,
    reduced: (text) => ({ role, content: piece.reduced(text) }),
  }
}
