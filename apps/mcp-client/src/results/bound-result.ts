import { isRecord, isReservedMetaKey, type JsonObject } from '@iii/protocol'
import { toJsonBytes } from '@iii/sdk/call-feed'
import type { SecretFilter } from '../redaction/secret-filter.ts'
import { toBlockPiece, toContentBlock, toTextBlock } from './content-blocks.ts'
import { fitPieces } from './fitting.ts'

/** The result of a tool as it may be handed on. */
export interface BoundedResult {
  readonly content: readonly JsonObject[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
  readonly _meta?: JsonObject
}

export interface ResultBounds {
  /** Of the whole result as JSON; at least 1024. */
  readonly resultBytes: number
  /** The tool is registered with a schema of its results: clients take one without data only as a failure. @default false */
  readonly hasOutputSchema?: boolean
}

const MAX_BLOCKS = 256
/** For one text about all that is left out. */
const REMARK_BYTES = 512

/**
 * Makes the result of a tool one that can be handed on, whatever it was: without secrets, well-formed, at most 100 levels deep, at most 256
 * blocks and so many bytes. Where something is left out, it says so; the data is left out then, for half of it would be taken for the whole.
 */
export function boundResult(result: unknown, bounds: ResultBounds, filter: SecretFilter): BoundedResult {
  const source = isRecord(result) ? result : { content: [result] }
  const content = readContent(source)
  const total = content.length
  const blocks = content.slice(0, MAX_BLOCKS + 1).map((block) => toContentBlock(cleanBlock(block, filter)))
  const data = readData(source['structuredContent'], bounds, filter)
  const frame = {
    ...(typeof source['isError'] === 'boolean' ? { isError: source['isError'] } : {}),
    ...readMeta(source['_meta'], filter),
  }
  const isWhole = total <= MAX_BLOCKS && data !== 'too_much'
  if (isWhole) {
    const whole = { content: blocks, ...(data === undefined ? {} : { structuredContent: data }), ...frame }
    if (toJsonBytes(whole) <= bounds.resultBytes) return whole
  }
  return cutResult({ blocks, total, hadData: data !== undefined, frame }, bounds)
}

/** A result that has neither content nor data, such as a task that nobody has asked for, is shown as what it is: it is no empty one. */
function readContent({ content, _meta: _, isError: __, ...others }: JsonObject): readonly unknown[] {
  if ((content ?? null) === null && !isRecord(others['structuredContent']) && Object.keys(others).length > 0)
    return [others]
  // Some give one block, or a text alone.
  return [content ?? []].flat()
}

interface Parts {
  readonly blocks: readonly JsonObject[]
  /** How many blocks there were. */
  readonly total: number
  readonly hadData: boolean
  readonly frame: JsonObject
}

function cutResult({ blocks, total, hadData, frame }: Parts, bounds: ResultBounds): BoundedResult {
  const lost = hadData && bounds.hasOutputSchema === true ? { isError: true } : {}
  // What is said of a result must not take the room of the result.
  const isSmall = toJsonBytes(frame) <= bounds.resultBytes / 4
  const others = { ...(isSmall ? frame : pickError(frame)), ...lost }
  const room = bounds.resultBytes - toJsonBytes({ content: [], ...others }) - REMARK_BYTES
  const shown = blocks.slice(0, total > MAX_BLOCKS || hadData ? MAX_BLOCKS - 1 : MAX_BLOCKS)
  const { values, gone } = fitPieces(shown.map(toBlockPiece), room)
  const remark = toRemark(total - shown.length + gone, hadData)
  return { content: remark === undefined ? values : [...values, toTextBlock(remark)], ...others }
}

function pickError({ isError }: JsonObject): JsonObject {
  return typeof isError === 'boolean' ? { isError } : {}
}

function toRemark(gone: number, hadData: boolean): string | undefined {
  const parts = [
    ...(gone === 0 ? [] : [`${gone} more ${gone === 1 ? 'block' : 'blocks'} of content`]),
    ...(hadData ? ['the structured content'] : []),
  ]
  if (parts.length === 0) return undefined
  return `[The result was too large: ${parts.join(' and ')} ${gone > 1 ? 'are' : 'is'} left out. Ask for less: a part, a page, or a filter.]`
}

/** Within the levels that the result around it has. */
function cleanBlock(block: unknown, filter: SecretFilter): unknown {
  const [[clean] = []] = filter.value([[block]])
  return clean
}

function readData(
  data: unknown,
  { resultBytes }: ResultBounds,
  filter: SecretFilter,
): JsonObject | 'too_much' | undefined {
  if (!isRecord(data)) return undefined
  // To look for secrets in what is left out anyway would take seconds.
  if (takesMore(data, resultBytes)) return 'too_much'
  let isDeep = false
  // One level is the result itself.
  const { data: clean } = filter.value({ data }, () => {
    isDeep = true
  })
  return isDeep ? 'too_much' : clean
}

/** Whether names of fields, and marks between what it has, take more bytes of JSON than these by themselves. */
function takesMore(value: unknown, bytes: number): boolean {
  const open = [value]
  let left = bytes
  for (let next = open.pop(); next !== undefined && left >= 0; next = open.pop()) {
    if (Array.isArray(next)) left = takeItems(next, left, open)
    else if (isRecord(next)) left = takeFields(next, left, open)
  }
  return left < 0
}

/** An item is `0,` at the least. */
function takeItems(items: readonly unknown[], room: number, open: unknown[]): number {
  const left = room - 2 * items.length
  if (left >= 0) for (const item of items) open.push(item)
  return left
}

/** A field is `"key":0,` at the least. */
function takeFields(fields: JsonObject, room: number, open: unknown[]): number {
  let left = room
  for (const key in fields) {
    left -= key.length + 5
    if (left < 0) return left
    open.push(fields[key])
  }
  return left
}

const MAX_META_BYTES = 8_192

/** Keys that MCP keeps for itself are about the connection to the server, which is not the client's. */
function readMeta(meta: unknown, filter: SecretFilter): { _meta?: JsonObject } {
  if (!isRecord(meta)) return {}
  const { clean } = filter.value({ clean: meta })
  const own = Object.entries(clean).filter(([key]) => !isReservedMetaKey(key))
  const kept = Object.fromEntries(own)
  return own.length === 0 || toJsonBytes(kept) > MAX_META_BYTES ? {} : { _meta: kept }
}
