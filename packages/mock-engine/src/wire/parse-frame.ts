import { toMembers } from '../json/build.ts'
import { type JsonText, textToString } from '../json/json-text.ts'
import { parseMembers } from '../json/parse.ts'
import type { CallAction, Frame, WireError } from './frames.ts'
import { parseUuid } from './uuid.ts'

/** A field that is missing or of the wrong type: the whole frame is ignored. */
class FrameError extends Error {
  override name = 'FrameError'
}

/** The members of a message; a member that stands twice has no text, so that reading it fails and ignoring it does not. */
type Fields = ReadonlyMap<string, JsonText>

const REPEATED = ''

const NONE: ReadonlySet<string> = new Set()

/**
 * Reads one message of a worker.
 *
 * @param unknown - members that are not looked at.
 * @returns `undefined` for everything the engine drops without a word: no JSON object, an unknown or repeated `type`, a
 *   required field that is missing, a field of the wrong type or one that stands twice.
 */
export function parseFrame(text: string, unknown = NONE): Frame | undefined {
  const members = parseMembers(text)
  if (!members) return undefined
  const fields = new Map<string, JsonText>()
  for (const [key, value] of members) {
    if (!unknown.has(key)) fields.set(key, fields.has(key) ? REPEATED : value)
  }
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
      namespace: maybeString(f, 'namespace'),
    }),
    registertrigger: (f) => ({
      type: 'registertrigger',
      id: string(f, 'id'),
      triggerType: string(f, 'trigger_type'),
      functionId: string(f, 'function_id'),
      config: json(f, 'config'),
      metadata: maybeJson(f, 'metadata'),
      namespace: maybeString(f, 'namespace'),
      typeNamespace: maybeString(f, 'trigger_namespace'),
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
      namespace: maybeString(f, 'namespace'),
    }),
    invocationresult: (f) => {
      string(f, 'function_id')
      // Nobody hears of them, and the frame is dropped when they are no texts.
      for (const unheard of ['traceparent', 'baggage']) maybeString(f, unheard)
      return {
        type: 'invocationresult',
        invocationId: maybeUuid(f, 'invocation_id') ?? missing('invocation_id'),
        result: maybeJson(f, 'result'),
        error: maybeError(f),
      }
    },
  }),
)

/** Every type of a frame that is understood. */
export const FRAME_TYPES: readonly string[] = [...DECODERS.keys()]

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
  return toMembers(text) ?? missing(name)
}
