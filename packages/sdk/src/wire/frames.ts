import { isRecord } from '@iii/protocol'
import { checkFrameSize, toKeptBytes, writeJson, writeNames } from './json-text.ts'
import { type Outgoing, toPieces } from './outgoing.ts'
import type { LongReply, RepeatedBodies } from './repeated-body.ts'

/** How an error looks on the wire, both ways. */
export interface ErrorBody {
  code: string
  message: string
}

/** A call of one of our functions. */
export interface InvokeFrame {
  type: 'invokefunction'
  function_id: string
  /** Absent only when nobody waits for the result. */
  invocation_id?: string | null
  data?: unknown
  metadata?: unknown
  traceparent?: string
  baggage?: string
}

/** The answer to one of our calls. */
export interface ResultFrame {
  type: 'invocationresult'
  invocation_id: string
  result?: unknown
  error?: ErrorBody | null
}

/** A binding to a trigger type that we provide. */
export interface BindFrame {
  type: 'registertrigger'
  id: string
  trigger_type: string
  function_id: string
  config?: unknown
  metadata?: unknown
  /** Of the function; absent for `default`. */
  namespace?: string
}

/** Something else has what we registered: the name of a worker, or the id of a function. Engines before 0.23 say nothing of the kind. */
export interface RejectionFrame {
  type: 'registrationrejected'
  code?: string
  message?: string
  namespace?: string
  worker_name?: string
  function_id?: string
  /** The connection that has it; empty when it is the engine's own. */
  owner_worker_id?: string
}

/** Everything an engine sends that we act upon (engine contract, the table of frames). */
export type IncomingFrame =
  | { type: 'workerregistered'; worker_id: string; reattach_token?: string }
  | InvokeFrame
  | ResultFrame
  | BindFrame
  | { type: 'unregistertrigger'; id: string; trigger_type?: string }
  | {
      type: 'triggerregistrationresult'
      id: string
      trigger_type: string
      function_id?: string
      error?: ErrorBody | null
    }
  | { type: 'ping' }
  | { type: 'pong' }
  | { type: 'error'; error: ErrorBody }
  | RejectionFrame

const REQUIRED_STRINGS = new Map<unknown, readonly string[]>([
  ['workerregistered', ['worker_id']],
  ['invokefunction', ['function_id']],
  ['invocationresult', ['invocation_id']],
  ['registertrigger', ['id', 'trigger_type', 'function_id']],
  ['unregistertrigger', ['id']],
  ['triggerregistrationresult', ['id', 'trigger_type']],
  ['ping', []],
  ['pong', []],
  ['error', []],
  ['registrationrejected', []],
])

/** Reads one text frame; undefined for anything that is not a frame we know. */
export function parseFrame(text: string): IncomingFrame | undefined {
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    return undefined
  }
  return isFrame(frame) ? frame : undefined
}

function isFrame(value: unknown): value is IncomingFrame {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Record<string, unknown>
  const required = REQUIRED_STRINGS.get(fields['type'])
  if (required === undefined) return false
  for (const name of required) if (typeof fields[name] !== 'string') return false
  return true
}

/** What a call needs to be written as a frame. */
export interface OutgoingCall {
  /** Absent for a void call. */
  invocationId: string | undefined
  functionId: string
  payload: unknown
  metadata?: unknown
  /** Where the function is; absent for `default`. */
  namespace?: string | undefined
  action?: { type: 'void' } | { type: 'enqueue'; queue: string } | undefined
  trace?: { traceparent?: string | undefined; baggage?: string | undefined } | undefined
}

/** @throws Fault `invalid_input` or `too_large` for a payload the engine would not read. */
export function formatCall(call: OutgoingCall): string {
  const what = `payload of ${call.functionId}`
  const data = writeJson(call.payload, what)
  const id = call.invocationId === undefined ? '' : `"invocation_id":"${call.invocationId}",`
  let text = `{"type":"invokefunction",${id}"function_id":${writeNames(call.functionId)},"data":${data ?? '{}'}`
  if (call.metadata !== undefined) {
    const metadata = writeJson(call.metadata, `metadata for ${call.functionId}`)
    if (metadata !== undefined) text += `,"metadata":${metadata}`
  }
  if (call.namespace !== undefined) text += `,"namespace":${writeNames(call.namespace)}`
  if (call.action !== undefined) text += `,"action":${writeNames(call.action)}`
  if (call.trace?.traceparent) text += `,"traceparent":${writeNames(call.trace.traceparent)}`
  if (call.trace?.baggage) text += `,"baggage":${writeNames(call.trace.baggage)}`
  text += '}'
  checkFrameSize(text, what)
  return text
}

/** @throws Fault `invalid_input` or `too_large` for a result the engine would not read. */
export function formatResult(invocationId: string, functionId: string, result: unknown): string {
  const what = `result of ${functionId}`
  const value = writeJson(result ?? undefined, what)
  const text = `${resultHead(invocationId, functionId)}${value === undefined ? '' : `,"result":${value}`}}`
  checkFrameSize(text, what)
  return text
}

const END = Buffer.from('}')

/** As {@link formatResult}; what is kept is not written again, and of a long HTTP reply what was said before. */
export function formatReply(
  invocationId: string,
  functionId: string,
  result: unknown,
  repeated: RepeatedBodies,
): Outgoing {
  const what = `result of ${functionId}`
  const toBefore = () => `${resultHead(invocationId, functionId)},"result":`
  const kept = toKeptBytes(result, what)
  if (kept !== undefined) {
    const message = toPieces([Buffer.from(toBefore()), kept, END])
    checkFrameSize(message, what)
    return message
  }
  const ready = isLongReply(result) ? repeated.write(toBefore(), result, '}', what) : undefined
  return ready ?? formatResult(invocationId, functionId, result)
}

/** Shorter bodies are written in the time that it takes to look whether they were said before; longer ones are not kept. */
const LONG = { from: 8 * 1024, to: 1024 * 1024 }

function isLongReply(result: unknown): result is LongReply {
  if (!isRecord(result) || 'toJSON' in result) return false
  const { body } = result
  return typeof body === 'string' && body.length >= LONG.from && body.length <= LONG.to
}

export function formatError(invocationId: string, functionId: string, error: ErrorBody): string {
  const body = writeJson({ code: error.code, message: error.message.slice(0, MAX_ERROR_LENGTH) }, 'error')
  return `${resultHead(invocationId, functionId)},"error":${body}}`
}

/** @throws Fault when the registration holds something the engine would not read. */
export function formatFrame(frame: { type: string; id?: string } & Record<string, unknown>): string {
  const what = `${frame.type} message${frame.id === undefined ? '' : ` of ${frame.id}`}`
  const text = writeJson(frame, what) ?? '{}'
  checkFrameSize(text, what)
  return text
}

const MAX_ERROR_LENGTH = 1024 * 1024

function resultHead(invocationId: string, functionId: string): string {
  return `{"type":"invocationresult","invocation_id":"${invocationId}","function_id":${JSON.stringify(functionId)}`
}
