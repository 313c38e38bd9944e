import { formatToolName, MAX_ID_BYTES } from '@iii/protocol'
import { findAkinFew, findNearestFew, suggestNames } from '@iii/sdk'
import { invalidParams, RPC, RpcError } from '../mcp/rpc.ts'

/** What a client reads that asks for something by a name that nobody has: the nearest names that it may see, and where all of them are. */

const MAX_TOLD = 3
const MAX_NAME_LENGTH = 128

/** How a client that named no tool goes on. */
export interface ToolAdvice {
  /** Tools that have in their names and descriptions what the name says, the best first. */
  readonly meant?: readonly string[]
  /** What tells it all of them. */
  readonly where?: string | undefined
}

/**
 * The id of a function is not taken for its tool: a host that allows tools by their names has not allowed it.
 *
 * @param all the names of the tools that the client may see
 */
export function unknownTool(name: string, all: Iterable<string>, advice: ToolAdvice = {}): RpcError {
  const { meant = [], where = 'tools/list has all of them' } = advice
  const names = [...all]
  const isId = name.length <= MAX_ID_BYTES && name.includes('::')
  const ofId = isId ? formatToolName(name) : undefined
  const nearest = ofId !== undefined && names.includes(ofId) ? [ofId] : suggestMeant(ofId ?? name, names, meant)
  return refuse(`Unknown tool: ${shorten(name)}${suggestNames(nearest, where)}`)
}

/** What was mistyped comes before what was meant, and letters alone tell only where nothing else does. */
function suggestMeant(name: string, names: readonly string[], meant: readonly string[]): string[] {
  const akin = findAkinFew(name, names, MAX_TOLD)
  if (akin.length > 0) return akin
  return meant.length > 0 ? meant.slice(0, MAX_TOLD) : suggestFrom(name, names)
}

/** @param mistake what is wrong with a name that no prompt can have */
export function promptNotFound(name: string, names: Iterable<string>, mistake?: string): RpcError {
  const advice = suggestNames(suggestFrom(name, names), 'prompts/list has all of them')
  if (mistake !== undefined) return invalidParams(`${mistake}${advice}`)
  return refuse(`Prompt not found: ${shorten(name)}${advice}`)
}

/** The nearest of these names, few enough to be told. */
export function suggestFrom(name: string, names: Iterable<string>): string[] {
  return findNearestFew(name, names, MAX_TOLD)
}

function refuse(message: string): RpcError {
  return new RpcError(RPC.invalidParams, message)
}

function shorten(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH).toWellFormed()
}

/** Of all values those that fit what was typed: first what begins with it, then what has it somewhere. Upper and lower case are the same. */
export function toMatching(values: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase()
  const fitting = values.filter((value) => value.toLowerCase().includes(wanted))
  const isFirst = (value: string) => value.toLowerCase().startsWith(wanted)
  return [...fitting.filter(isFirst), ...fitting.filter((value) => !isFirst(value))]
}
