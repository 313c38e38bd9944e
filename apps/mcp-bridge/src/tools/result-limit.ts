import {
  type ContentBlock,
  cutUtf8,
  findActing,
  isCanonicalId,
  type McpMetadata,
  type ToolResult,
  toTitle,
} from '@iii/protocol'
import { toSectionUri } from '../gate/section-uri.ts'
import { toKey } from '../gate/sight.ts'
import { cutJson } from './cut-json.ts'

/** What is known of the call that brought a result. */
export interface ResultFacts {
  readonly functionId: string
  /** @default the bridge's own */
  readonly namespace?: string | undefined
  readonly metadata: McpMetadata
  readonly hasOutputSchema: boolean
  /** It was called with arguments: reading it as a section would give something else. */
  readonly hasInput: boolean
  /** The arguments that it takes. */
  readonly takes: () => readonly string[]
}

/**
 * Cuts a result that would fill the context of a model, JSON between its elements, and says before it how much is gone and how to get
 * the rest. Results that are not too large are handed on as they are.
 *
 * @param maxBytes of text, of base64, and of the data as JSON, together
 */
export function toLimited(result: ToolResult, facts: ResultFacts, maxBytes: number): ToolResult {
  if (isWithin(result, maxBytes)) return result
  const { sizes, total } = measure(result)
  const { content, shown } = keepFitting(result.content, sizes, maxBytes)
  const { structuredContent, ...others } = result
  const note = toNote({ shown, total, hadData: structuredContent !== undefined }, facts)
  // A client that was promised data takes a result without it only as a failure.
  const isError = facts.hasOutputSchema || result.isError === true
  return { ...others, content: [...note, ...content], ...(isError ? { isError } : {}) }
}

/** Most results are far from the limit; only one that comes near is measured. */
export function isWithin(result: ToolResult, maxBytes: number): boolean {
  return (result.content.length < MANY && toMostBytes(result) <= maxBytes) || measure(result).total <= maxBytes
}

/** A block is some bytes around its text. */
const MANY = 1_000
const BYTES_A_CHARACTER = 3
/** No block is cut to less than that. */
const MIN_TEXT_BYTES = 256
/** For what is said about the cut. */
const NOTE_BYTES = 1_024
/** So many arguments are named. */
const MAX_WAYS = 10

function measure({ content, structuredContent }: ToolResult) {
  const sizes = content.map(toBytes)
  const dataBytes = structuredContent === undefined ? 0 : toJsonBytes(structuredContent)
  return { sizes, total: sizes.reduce((sum, size) => sum + size, dataBytes) }
}

/** An upper bound that costs little. */
function toMostBytes({ content, structuredContent }: ToolResult): number {
  let characters = 0
  for (const block of content) {
    if (block.type !== 'text') return Number.POSITIVE_INFINITY
    characters += block.text.length
  }
  if (structuredContent !== undefined) characters += JSON.stringify(structuredContent).length
  return characters * BYTES_A_CHARACTER
}

function toBytes(block: ContentBlock): number {
  if (block.type === 'text') return Buffer.byteLength(block.text)
  if (block.type === 'image' || block.type === 'audio') return block.data.length
  return toJsonBytes(block)
}

function toJsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
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
  return { ...block, text: cutJson(block.text, room) ?? cutUtf8(block.text, room) }
}

interface Cut {
  readonly shown: number
  readonly total: number
  readonly hadData: boolean
}

function toNote({ shown, total, hadData }: Cut, facts: ResultFacts): ContentBlock[] {
  const data = hadData ? ', the structured content is left out' : ''
  const cut = `This result is cut, it was too large: about ${toSize(shown)} of ${toSize(total)} follow${data}.`
  const link = toLink(facts)
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

/** To read it is to call it again, which has to do no harm. */
function toLink({ functionId, namespace, metadata, hasInput }: ResultFacts) {
  if (hasInput || findActing(metadata.annotations) !== undefined || !isCanonicalId(functionId)) return undefined
  const uri = toSectionUri(toKey({ namespace, id: functionId }))
  if (uri === undefined) return undefined
  return { type: 'resource_link' as const, uri, name: functionId }
}
