import { checkDepth, isRecord } from '@iii/protocol'
import { ENGINE_JSON } from '../mcp/limits.ts'
import { type Envelope, isRpcId, RPC, RpcError, type RpcId, toEnvelope } from '../mcp/rpc.ts'

const BLANK = /^\s*$/

/** A byte order mark is what some shells begin a pipe with; it is left out. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads one line as a JSON-RPC message. Never throws. @returns undefined for a blank line */
export function readMessage(line: Uint8Array): Envelope | undefined {
  let message: unknown
  try {
    const text = utf8.decode(line)
    if (BLANK.test(text)) return undefined
    message = JSON.parse(text)
  } catch {
    return invalid(null, RPC.parse, 'Parse error: the line is not valid JSON in UTF-8')
  }
  const problem = checkDepth(message, ENGINE_JSON)
  if (problem === undefined) return toEnvelope(message)
  return toRefused(message, `the message is ${problem}`)
}

/** Nobody answers an answer: whoever has asked hears why there is none. */
function toRefused(message: unknown, problem: string): Envelope {
  const envelope = toEnvelope(message)
  if (envelope.kind === 'response') {
    return { ...envelope, result: undefined, error: { code: RPC.invalidRequest, message: problem } }
  }
  const id = isRecord(message) && isRpcId(message['id']) ? message['id'] : null
  return invalid(id, RPC.invalidRequest, `Invalid JSON-RPC request: ${problem}`)
}

function invalid(id: RpcId | null, code: number, text: string): Envelope {
  return { kind: 'invalid', id, error: new RpcError(code, text) }
}
