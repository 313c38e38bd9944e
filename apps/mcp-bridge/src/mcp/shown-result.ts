import { isDeepStrictEqual } from 'node:util'
import { type ContentBlock, cutUtf8, isRecord, type JsonObject, type ToolResult, toTitle } from '@iii/protocol'
import { parseJsonText } from '@iii/sdk'
import { toJsonBytes } from '@iii/sdk/call-feed'
import type { McpCall } from './call.ts'
import { cutJson } from './cut-json.ts'
import { readsData } from './data-result.ts'
import { ALL_BLOCKS_SINCE, toKnownBlock } from './known-blocks.ts'

/** What is known of the call that brought a result that is too large. */
export interface ResultFacts {
  readonly hasOutputSchema: boolean
  /** The arguments that the function takes. */
  readonly takes: () => readonly string[]
  /** Where the whole can be read, if anywhere. */
  readonly link: () => ResourceLink | undefined
}

type ResourceLink = Extract<ContentBlock, { type: 'resource_link' }>

/**
 * What a client gets of the result of a tool: brief where it has declared that its model reads the data, and cut where it is too large
 * all the same. All its blocks are such as the client knows.
 *
 * @param maxBytes as of {@link toLimited}
 */
export function toShownResult(
  result: ToolResult,
  facts: () => ResultFacts,
  call: Pick<McpCall, 'capabilities' | 'revision'>,
  maxBytes: number,
): ToolResult {
  // Before it is measured, since a block takes the room of what is shown of it; and after, for the link of what is cut.
  const known = toKnown(result, call)
  const brief = toBrief(known, call)
  return isWithin(brief, maxBytes) ? brief : toKnown(toLimited(known, facts(), maxBytes), call)
}

function toKnown(result: ToolResult, call: Pick<McpCall, 'revision'>): ToolResult {
  const hasAddresses = result.content.some(({ type }) => type === 'resource_link' || type === 'resource')
  if (call.revision >= ALL_BLOCKS_SINCE && !hasAddresses) return result
  return { ...result, content: result.content.map((block) => toKnownBlock(block, call)) }
}

/**
 * Cuts a result that would fill the context of a model, JSON between its elements, and says before it how much is gone and how to get
 * the rest. Results that are not too large are handed on as they are.
 *
 * @param maxBytes of text, of base64, of the data and of what is said beside them as JSON, together
 */
export function toLimited(result: ToolResult, facts: ResultFacts, maxBytes: number): ToolResult {
  if (isWithin(result, maxBytes)) return result
  const { sizes, total } = measure(result)
  const { structuredContent, _meta, ...others } = result
  const meta = _meta !== undefined && toJsonBytes(_meta) <= maxBytes / 2 ? { _meta } : {}
  const { content, shown } = keepFitting(result.content, sizes, maxBytes - toRemarkBytes(meta))
  const note = toNote({ shown, total, hadData: structuredContent !== undefined }, facts)
  // A client that was promised data takes a result without it only as a failure.
  const isError = facts.hasOutputSchema || result.isError === true
  return { ...others, ...meta, content: [...note, ...content], ...(isError ? { isError } : {}) }
}

/** Most results are far from the limit, on one side or the other; only one that comes near is measured. */
function isWithin(result: ToolResult, maxBytes: number): boolean {
  if (toTextLength(result) > maxBytes) return false
  return (result.content.length < MANY && toMostBytes(result) <= maxBytes) || measure(result).total <= maxBytes
}

/** What is around the text of a block: many that are empty are large as well. */
const BLOCK_BYTES = 26
const MANY = 100
const BYTES_A_CHARACTER = 3
/** No block is cut to less than that. */
const MIN_TEXT_BYTES = 256
/** For what is said about the cut. */
const NOTE_BYTES = 1_024
/** So many arguments are named. */
const MAX_WAYS = 10

function measure({ content, structuredContent, _meta }: ToolResult) {
  const sizes = content.map((block, nth) => toBytes(block) + (nth === 0 ? 0 : BLOCK_BYTES))
  return { sizes, total: sizes.reduce((sum, size) => sum + size, toJsonBytes(structuredContent) + toJsonBytes(_meta)) }
}

/** A character is a byte or more. */
function toTextLength({ content }: ToolResult): number {
  return content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0)
}

/** An upper bound that costs little. */
function toMostBytes({ content, structuredContent, _meta }: ToolResult): number {
  let characters = 0
  for (const block of content) {
    if (block.type !== 'text' || Object.keys(block).length > 2) return Number.POSITIVE_INFINITY
    characters += block.text.length
  }
  if (structuredContent !== undefined) characters += JSON.stringify(structuredContent).length
  if (_meta !== undefined) characters += JSON.stringify(_meta).length
  return characters * BYTES_A_CHARACTER
}

function toBytes(block: ContentBlock): number {
  if (block.type === 'text') {
    const { type: _, text, ...remarks } = block
    return Buffer.byteLength(text) + toRemarkBytes(remarks)
  }
  if (block.type !== 'image' && block.type !== 'audio') return toJsonBytes(block)
  const { type: _, data, ...remarks } = block
  return data.length + toRemarkBytes(remarks)
}

/** What is said beside something takes nothing where nothing is said. */
function toRemarkBytes(remarks: object): number {
  return toJsonBytes(remarks) - toJsonBytes({})
}

/** The blocks from the first on, as far as there is room; a text may be cut, anything else is there or not. */
function keepFitting(content: readonly ContentBlock[], sizes: readonly number[], maxBytes: number) {
  let room = Math.max(MIN_TEXT_BYTES, maxBytes - NOTE_BYTES)
  let shown = 0
  const kept: ContentBlock[] = []
  for (const [index, block] of content.entries()) {
    const size = sizes[index] ?? 0
    if (size > room && (block.type !== 'text' || room < MIN_TEXT_BYTES)) continue
    const fitting = toFitting(block, size, room)
    kept.push(fitting)
    const used = fitting === block ? size : toBytes(fitting)
    room -= used
    shown += used
  }
  return { content: kept, shown }
}

function toFitting(block: ContentBlock, size: number, room: number): ContentBlock {
  if (size <= room || block.type !== 'text') return block
  const { type, text, ...remarks } = block
  const kept = toRemarkBytes(remarks) <= room / 2 ? remarks : {}
  const left = room - toRemarkBytes(kept)
  return { ...kept, type, text: cutJson(text, left) ?? cutUtf8(text, left) }
}

interface Cut {
  readonly shown: number
  readonly total: number
  readonly hadData: boolean
}

function toNote({ shown, total, hadData }: Cut, facts: ResultFacts): ContentBlock[] {
  const data = hadData ? ', the structured content is left out' : ''
  const cut = `This result is cut, it was too large: about ${toSize(shown)} of ${toSize(total)} follow${data}.`
  const link = facts.link()
  const advice =
    link === undefined ? `Ask for less, or for the rest${toWays(facts)}.` : `The whole can be read at ${link.uri}.`
  return [{ type: 'text', text: `[${cut} ${advice}]` }, ...(link === undefined ? [] : [link])]
}

function toWays({ takes }: ResultFacts): string {
  const names = takes()
    .flatMap((name) => toTitle(name) ?? [])
    .slice(0, MAX_WAYS)
  return names.length === 0 ? '' : `, with what it takes: ${names.join(', ')}`
}

function toSize(bytes: number): string {
  return bytes < 10_240 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KiB`
}

const TEXT = 'The result is in structuredContent.'

/**
 * The result of a tool without the text that only says the data again, for a client that has declared that its model reads the data. Any
 * other text stays, and so does one that is no longer than what would take its place.
 *
 * @returns the very same result where nothing is left out
 */
export function toBrief<T extends object>(result: T, call: Pick<McpCall, 'capabilities'>): T {
  if (!readsData(call)) return result
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
  return [text, parseJsonText(text)].some(
    (value) => isDeepStrictEqual(data, value) || isDeepStrictEqual(data, { result: value }),
  )
}
