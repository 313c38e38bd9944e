import { type JsonText, textToString } from '../json/json-text.ts'
import { parseMembers } from '../json/parse.ts'
import { parseUuid } from './uuid.ts'

/** An error as it travels in an `invocationresult`. */
export interface WireError {
  readonly code: string
  readonly message: string
  readonly stacktrace?: string | undefined
}

/** What a caller asks for besides a plain call. */
export type CallAction = { readonly type: 'void' } | { readonly type: 'enqueue'; readonly queue: string }

/** A frame from a worker that the engine understands. JSON values are canonical texts. */
export type Frame =
  | { readonly type: 'ping' }
  | { readonly type: 'pong' }
  | { readonly type: 'registerservice' }
  | { readonly type: 'unregisterfunction'; readonly id: string }
  | { readonly type: 'reattach'; readonly previousWorkerId: string; readonly token: string | undefined }
  | RegisterFunctionFrame
  | RegisterTriggerTypeFrame
  | RegisterTriggerFrame
  | { readonly type: 'unregistertrigger'; readonly id: string; readonly triggerType: string | undefined }
  | {
      readonly type: 'triggerregistrationresult'
      readonly id: string
      readonly triggerType: string
      readonly functionId: string
      readonly error: WireError | undefined
    }
  | InvokeFrame
  | ResultFrame

export interface RegisterFunctionFrame {
  readonly type: 'registerfunction'
  readonly id: string
  readonly description: string | undefined
  readonly requestSchema: JsonText | undefined
  readonly responseSchema: JsonText | undefined
  readonly metadata: JsonText | undefined
  /** Whether the function is to be called over HTTP by the engine. */
  readonly remote: boolean
}

export interface RegisterTriggerTypeFrame {
  readonly type: 'registertriggertype'
  readonly id: string
  readonly description: string
  readonly triggerSchema: JsonText | undefined
  readonly callSchema: JsonText | undefined
}

export interface RegisterTriggerFrame {
  readonly type: 'registertrigger'
  readonly id: string
  readonly triggerType: string
  readonly functionId: string
  readonly config: JsonText
  readonly metadata: JsonText | undefined
}

export interface InvokeFrame {
  readonly type: 'invokefunction'
  readonly invocationId: string | undefined
  readonly functionId: string
  readonly data: JsonText
  readonly traceparent: string | undefined
  readonly baggage: string | undefined
  readonly action: CallAction | undefined
  readonly metadata: JsonText | undefined
}

export interface ResultFrame {
  readonly type: 'invocationresult'
  readonly invocationId: string
  readonly result: JsonText | undefined
  readonly error: WireError | undefined
}

/** A field that is missing or of the wrong type: the whole frame is ignored. */
class FrameError extends Error {
  override name = 'FrameError'
}

/** The members of a message; a member that stands twice has no text, so that reading it fails and ignoring it does not. */
type Fields = ReadonlyMap<string, JsonText>

const REPEATED = ''

/**
 * Reads one message of a worker.
 *
 * @returns `undefined` for everything the engine drops without a word: no JSON object, an unknown or repeated `type`, a
 *   required field that is missing, a field of the wrong type or one that stands twice.
 */
export function parseFrame(text: string): Frame | undefined {
  const members = parseMembers(text)
  if (!members) return undefined
  const fields = new Map<string, JsonText>()
  for (const [key, value] of members) fields.set(key, fields.has(key) ? REPEATED : value)
  try {
    return DECODERS.get(string(fields, 'type'))?.(fields)
  } catch (error) {
    if (error instanceof FrameError) return undefined
    throw error
  }
}

const DECODERS = new Map<string, (fields: Fields) => Frame>(
  Object.entries<(fields: Fields) => Frame>({
    ping: () => ({ type: 'ping' }),
    pong: () => ({ type: 'pong' }),
    registerservice: () => ({ type: 'registerservice' }),
    reattach: (f) => ({
      type: 'reattach',
      previousWorkerId: string(f, 'previous_worker_id'),
      token: maybeString(f, 'reattach_token'),
    }),
    registerfunction: (f) => ({
      type: 'registerfunction',
      id: string(f, 'id'),
      description: maybeString(f, 'description'),
      requestSchema: maybeJson(f, 'request_format'),
      responseSchema: maybeJson(f, 'response_format'),
      metadata: maybeJson(f, 'metadata'),
      remote: maybeJson(f, 'invocation') !== undefined,
    }),
    unregisterfunction: (f) => ({ type: 'unregisterfunction', id: string(f, 'id') }),
    registertriggertype: (f) => ({
      type: 'registertriggertype',
      id: string(f, 'id'),
      description: string(f, 'description'),
      triggerSchema: maybeJson(f, 'trigger_request_format'),
      callSchema: maybeJson(f, 'call_request_format'),
    }),
    registertrigger: (f) => ({
      type: 'registertrigger',
      id: string(f, 'id'),
      triggerType: string(f, 'trigger_type'),
      functionId: string(f, 'function_id'),
      config: json(f, 'config'),
      metadata: maybeJson(f, 'metadata'),
    }),
    unregistertrigger: (f) => ({
      type: 'unregistertrigger',
      id: string(f, 'id'),
      triggerType: maybeString(f, 'trigger_type'),
    }),
    triggerregistrationresult: (f) => ({
      type: 'triggerregistrationresult',
      id: string(f, 'id'),
      triggerType: string(f, 'trigger_type'),
      functionId: string(f, 'function_id'),
      error: maybeError(f),
    }),
    invokefunction: (f) => ({
      type: 'invokefunction',
      invocationId: maybeUuid(f, 'invocation_id'),
      functionId: string(f, 'function_id'),
      data: json(f, 'data'),
      traceparent: maybeString(f, 'traceparent'),
      baggage: maybeString(f, 'baggage'),
      action: maybeAction(f),
      metadata: maybeJson(f, 'metadata'),
    }),
    invocationresult: (f) => {
      string(f, 'function_id')
      return {
        type: 'invocationresult',
        invocationId: maybeUuid(f, 'invocation_id') ?? missing('invocation_id'),
        result: maybeJson(f, 'result'),
        error: maybeError(f),
      }
    },
  }),
)

function missing(field: string): never {
  throw new FrameError(field)
}

function json(fields: Fields, name: string): JsonText {
  return present(fields, name) ?? missing(name)
}

function maybeJson(fields: Fields, name: string): JsonText | undefined {
  const text = present(fields, name)
  return text === 'null' ? undefined : text
}

function present(fields: Fields, name: string): JsonText | undefined {
  const text = fields.get(name)
  return text === REPEATED ? missing(name) : text
}

function string(fields: Fields, name: string): string {
  return maybeString(fields, name) ?? missing(name)
}

function maybeString(fields: Fields, name: string): string | undefined {
  const text = maybeJson(fields, name)
  if (text === undefined) return undefined
  return text.startsWith('"') ? textToString(text) : missing(name)
}

function maybeUuid(fields: Fields, name: string): string | undefined {
  const text = maybeString(fields, name)
  return text === undefined ? undefined : (parseUuid(text) ?? missing(name))
}

function maybeAction(fields: Fields): CallAction | undefined {
  const members = maybeObject(fields, 'action')
  if (!members) return undefined
  const type = string(members, 'type')
  if (type === 'void') return { type }
  return type === 'enqueue' ? { type, queue: string(members, 'queue') } : missing('action')
}

function maybeError(fields: Fields): WireError | undefined {
  const members = maybeObject(fields, 'error')
  if (!members) return undefined
  const stacktrace = maybeString(members, 'stacktrace')
  return { code: string(members, 'code'), message: string(members, 'message'), stacktrace }
}

function maybeObject(fields: Fields, name: string): Fields | undefined {
  const text = maybeJson(fields, name)
  if (text === undefined) return undefined
  return new Map(parseMembers(text) ?? missing(name))
}
