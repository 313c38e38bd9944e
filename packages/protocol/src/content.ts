import { ContentBlock, toAcceptable } from './content-block.ts'
import { isRecord, readOwn, toJsonText, toWellFormedJson } from './json.ts'
import { toPlainMessage } from './plain-message/index.ts'

/** The result of MCP `tools/call`. */
export interface ToolResult {
  content: ContentBlock[]
  /** The same as data; what a declared output schema is about. */
  structuredContent?: Record<string, unknown>
  isError?: boolean
  _meta?: Record<string, unknown>
}

/** What is known about a function whose value becomes a tool result. */
export interface ToolResultOptions {
  /** The tool declares an output schema, so that clients insist on `structuredContent`. @default false */
  readonly hasOutputSchema?: boolean
}

/**
 * Turns what a function returned into a tool result:
 *
 * - a string is the text as it is; nothing (`undefined`) is an empty text
 * - an object that is a tool result already, with a `content` array of MCP blocks, passes with its `structuredContent`,
 *   `isError` and `_meta`; where `content` is something else, the object is treated like any other
 * - anything else is JSON without spaces, and `structuredContent` too when it is an object
 *
 * With an output schema, what is not an object becomes `structuredContent: { result: value }`. Never throws; all texts are
 * well-formed.
 *
 * @example
 * toToolResult({ id: 7 })
 * // { content: [{ type: 'text', text: '{"id":7}' }], structuredContent: { id: 7 } }
 */
export function toToolResult(value: unknown, options: ToolResultOptions = {}): ToolResult {
  const { hasOutputSchema = false } = options
  if (typeof value === 'string' || value === undefined) return toTextResult(value, hasOutputSchema)
  const ready = isRecord(value) ? passThrough(value, hasOutputSchema) : undefined
  if (ready !== undefined) return ready
  const json = toJsonText(value)
  if (json === undefined) return toToolError('the function returned a value that JSON cannot hold')
  const result: ToolResult = { content: [{ type: 'text', text: json }] }
  const data: unknown = toWellFormedJson(value, json)
  // What JSON makes of the value decides: a date is an object, and a text in JSON.
  if (json.startsWith('{') && isRecord(data)) result.structuredContent = data
  else if (hasOutputSchema) result.structuredContent = { result: data }
  return result
}

/**
 * Turns a failure into a tool result that the model can read: `Error: ` and the message, made plain.
 *
 * @example
 * toToolError('no such order') // { content: [{ type: 'text', text: 'Error: no such order' }], isError: true }
 */
export function toToolError(message: string): ToolResult {
  return { content: [{ type: 'text', text: `Error: ${toPlainMessage(message)}` }], isError: true }
}

/**
 * What of a function's value the schema of its results is about: of a tool result its `structuredContent`, where it has any.
 *
 * @returns undefined for what is no result: questions, errors of the protocol, and a tool result that says `isError`.
 *
 * @example
 * toResultData({ content: [], structuredContent: { id: 7 } }) // { data: { id: 7 } }
 */
export function toResultData(value: unknown): { data: unknown } | undefined {
  if (!isRecord(value)) return { data: value }
  const type = readOwn(value, 'result_type')
  if (type === 'input_required' || type === 'protocol_error') return undefined
  if (!isToolResult(value)) return { data: value }
  const { isError, structuredContent } = value as Partial<ToolResult>
  if (isError === true) return undefined
  return { data: structuredContent ?? value }
}

function toTextResult(value: string | undefined, hasOutputSchema: boolean): ToolResult {
  const text = value?.toWellFormed()
  const result: ToolResult = { content: [{ type: 'text', text: text ?? '' }] }
  if (hasOutputSchema) result.structuredContent = { result: text ?? null }
  return result
}

function passThrough(value: Record<string, unknown>, hasOutputSchema: boolean): ToolResult | undefined {
  if (!isToolResult(value)) return undefined
  const mended = toWellFormedJson(value)
  if (mended === undefined) return undefined
  const { content, structuredContent, isError, _meta } = mended
  const result: ToolResult = { content: content.map(toAcceptable) }
  if (isRecord(structuredContent)) result.structuredContent = structuredContent
  if (typeof isError === 'boolean') result.isError = isError
  if (isRecord(_meta)) result._meta = _meta
  // A client with an output schema refuses a success without data; the value is what its function returned.
  if (hasOutputSchema && isError !== true) result.structuredContent ??= mended
  return result
}

const resultKeys = ['content', 'structuredContent', 'isError', '_meta']

function isToolResult(value: Record<string, unknown>): value is Record<string, unknown> & { content: ContentBlock[] } {
  const content = readOwn(value, 'content')
  if (!Array.isArray(content)) return false
  // An empty page of something (`{ content: [], total: 0 }`) is data, not a result without content.
  if (content.length === 0) return Object.keys(value).every((key) => resultKeys.includes(key))
  return content.every((block) => ContentBlock.safeParse(block).success)
}
