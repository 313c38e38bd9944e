import { Fault, isRecord } from '@iii/protocol'
import {
  type NamesOf,
  refuseMistyped,
  requireFields,
  requireMs,
  requireTexts,
  toKind,
} from '../suggestions/mistyped.ts'
import type { TriggerRequest } from './call.ts'
import type { Trace } from './call-context.ts'

/** What is read of a call. */
export const CALL_FIELDS: NamesOf<TriggerRequest> = {
  function_id: true,
  payload: true,
  action: true,
  timeoutMs: true,
  namespace: true,
  metadata: true,
  trace: true,
  signal: true,
}

/** What the payload is called elsewhere. */
const FOREIGN_FIELDS: Readonly<Record<string, string>> = {
  data: 'payload',
  input: 'payload',
  args: 'payload',
  arguments: 'payload',
  params: 'payload',
  body: 'payload',
}

/**
 * Of a call that is not plain.
 *
 * @throws Fault `invalid_input` for a field that was mistyped, which would be passed over, and for what is no action, with which the engine
 * drops the whole call without an answer, as with a trace that is no text, for a deadline that is no number and for what is no signal.
 */
export function requireCall(request: TriggerRequest): void {
  requireRequest(request)
  const { function_id: functionId, action, trace, signal } = request
  for (const name in request) {
    if (name in CALL_FIELDS) continue
    refuseMistyped(`The call of ${functionId ?? 'a function'}`, request, CALL_FIELDS, FOREIGN_FIELDS)
  }
  if (typeof functionId !== 'string' || functionId === '') {
    throw new Fault('invalid_input', 'A call needs the function_id of what it calls')
  }
  if ((action ?? undefined) !== undefined && !isAction(action)) {
    const right = "TriggerAction.Void() or TriggerAction.Enqueue({ queue: 'mails' })"
    throw new Fault('invalid_input', `The action of the call of ${functionId} is none; make one with ${right}`)
  }
  requireMs(`The call of ${functionId}`, request, ['timeoutMs'])
  requireTrace(`The trace of the call of ${functionId}`, trace ?? {})
  if (typeof (signal ?? NO_SIGNAL).addEventListener !== 'function') {
    const right = 'hand on controller.signal, or AbortSignal.timeout(5000)'
    throw new Fault('invalid_input', `The signal of the call of ${functionId} is none; ${right}`)
  }
}

const NO_SIGNAL = { addEventListener() {} }

/** Some clients take the id and the payload one after the other. */
function requireRequest(request: unknown): void {
  if (isRecord(request)) return
  const id = typeof request === 'string' ? request : 'orders::create'
  const right = `trigger({ function_id: '${id}', payload: { … } })`
  throw new Fault('invalid_input', `A call takes its fields as one object, not as ${toKind(request)}: ${right}`)
}

function requireTrace(what: string, trace: Trace): void {
  requireFields(what, trace)
  requireTexts(what, trace, ['traceparent', 'baggage'])
}

function isAction(action: unknown): boolean {
  const { type, queue }: { type?: unknown; queue?: unknown } = Object(action)
  return type === 'void' || (type === 'enqueue' && typeof queue === 'string')
}
