import { isRecord } from '@iii/protocol'
import { parseJsonText } from '@iii/sdk'

/** A message of a server, as far as it is one of JSON-RPC; of its content nothing is believed yet. */
export type Incoming =
  | { readonly kind: 'response'; readonly id: unknown; readonly answer: ServerAnswer }
  | { readonly kind: 'request'; readonly id: string | number; readonly method: string }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Readonly<Record<string, unknown>> }

export type ServerAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

const INTERNAL_ERROR = -32603
const NONE: Readonly<Record<string, unknown>> = {}

/** More than any server has to say at once: each costs far more than its bytes. */
const MAX_BATCH = 1_000

/** @returns the messages of a line, which are several in a batch; undefined for a line that has none, or too many */
export function parseLine(line: string): Incoming[] | undefined {
  const value = parseJsonText(line)
  const all = Array.isArray(value) ? value : [value]
  if (all.length > MAX_BATCH) return undefined
  const messages = all.flatMap((each) => toIncoming(each) ?? [])
  return messages.length === 0 ? undefined : messages
}

function toIncoming(value: unknown): Incoming | undefined {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return undefined
  const { id, method } = value
  if (typeof method !== 'string') return toResponse(value)
  const { params } = value
  if (id === undefined) return { kind: 'notification', method, params: isRecord(params) ? params : NONE }
  return isRequestId(id) ? { kind: 'request', id, method } : undefined
}

function toResponse({ id, result, error }: Record<string, unknown>): Incoming | undefined {
  if (isRecord(error)) return { kind: 'response', id, answer: { error: toRpcError(error) } }
  if (result !== undefined) return { kind: 'response', id, answer: { result } }
  // Not as JSON-RPC has it, and yet an answer for which somebody waits.
  const message = typeof error === 'string' ? error : 'the server answered with neither a result nor an error'
  return isRequestId(id) ? { kind: 'response', id, answer: { error: toRpcError({ message }) } } : undefined
}

function toRpcError({ code, message, data }: Record<string, unknown>) {
  return {
    code: Number.isSafeInteger(code) ? (code as number) : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : 'the server gave no reason',
    data,
  }
}

function isRequestId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}
