import { parseJsonText } from '@iii/sdk'
import { isRpcId, type RpcId } from '../mcp/rpc.ts'
import type { LostLine } from './line-reader.ts'

/** What can be told of a message of which only the edges are there. */
export interface LostMessage {
  /** Undefined where it cannot be told. */
  readonly id: RpcId | undefined
  readonly isResponse: boolean
}

const TEXT = String.raw`"(?:[^"\\]|\\.)*"`
const ID = String.raw`"id"\s*:\s*(${TEXT}|-?\d{1,16})`
/** Members that may stand before it without hiding it. */
const PLAIN = String.raw`(?:"(?:jsonrpc|method)"\s*:\s*${TEXT}\s*,\s*)*`
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*${PLAIN}${ID}\s*,`)
/** One brace closes the message itself, so that what stands before it is a member of the message. */
const ID_LAST = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*"jsonrpc"\s*:\s*${TEXT}\s*)?\}\s*$`)
const RESPONSE = new RegExp(String.raw`^\s*\{\s*(?:(?:"jsonrpc"\s*:\s*${TEXT}|${ID})\s*,\s*)*"(?:result|error)"`)

/** Looks for the id at both ends, where clients write it, so that nobody waits for ever for the reply to it. */
export function readLostMessage({ beginning, end }: LostLine): LostMessage {
  const text = ID_FIRST.exec(beginning)?.[1] ?? ID_LAST.exec(end)?.[1]
  const id = parseJsonText(text ?? '')
  return { id: isRpcId(id) ? id : undefined, isResponse: RESPONSE.test(beginning) }
}
