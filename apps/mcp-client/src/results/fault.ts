import { cutUtf8, Fault, isRecord, MAX_MESSAGE_BYTES } from '@iii/protocol'
import { type SecretFilter, toCleanText } from '../redaction/secret-filter.ts'

/** JSON-RPC: the arguments are wrong. */
const INVALID_PARAMS = -32_602

/**
 * What a server says went wrong, for callers that read no results of MCP: of an error of JSON-RPC its text, of a result with `isError`
 * the texts in it. A fault stays what it is.
 *
 * @param failure what the official client threw, or a result of a tool
 */
export function toFaultOf(failure: unknown, filter: SecretFilter): Fault {
  if (failure instanceof Fault) return failure
  const { code, message, content }: Failure = typeof failure === 'object' && failure !== null ? failure : {}
  const text = Array.isArray(content) ? content.flatMap(readText).join('\n') : readMessage(message)
  const clean = toCleanText(text, filter).trim()
  return new Fault(
    code === INVALID_PARAMS ? 'invalid_input' : 'internal',
    clean === '' ? 'The MCP server says that this failed, and not why' : cutUtf8(clean, MAX_MESSAGE_BYTES),
  )
}

interface Failure {
  readonly code?: unknown
  readonly message?: unknown
  readonly content?: unknown
}

function readText(block: unknown): string[] {
  return isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string' ? [block['text']] : []
}

/** The official client puts the code before the text. */
function readMessage(message: unknown): string {
  return typeof message === 'string' ? message.replace(/^(?:MCP error -?\d+: ){1,4}/, '') : ''
}
