import type { JsonText } from '../json/json-text.ts'
import type { RegisterTriggerFrame, WireError } from './frames.ts'

/** What became of a call: an error, a value, or neither (`result` is then absent on the wire). */
export interface CallResult {
  readonly result?: JsonText | undefined
  readonly error?: WireError | undefined
}

/** The trace context that travels beside a call. */
export interface TraceContext {
  readonly traceparent?: string | undefined
  readonly baggage?: string | undefined
}

export const PONG = '{"type":"pong"}'

export function formatHello(workerId: string, token: string): string {
  return `{"type":"workerregistered","worker_id":"${workerId}","reattach_token":"${token}"}`
}

export function formatInvoke(
  invocationId: string,
  functionId: string,
  data: JsonText,
  trace: TraceContext,
  metadata: JsonText | undefined,
): string {
  return `{"type":"invokefunction","invocation_id":"${invocationId}","function_id":${JSON.stringify(functionId)},"data":${data}${traceFields(trace)}${metadata === undefined ? '' : `,"metadata":${metadata}`}}`
}

export function formatCallResult(
  invocationId: string,
  functionId: string,
  outcome: CallResult,
  trace: TraceContext,
): string {
  const { error, result } = outcome
  const body = error ? `,"error":${formatError(error)}` : result === undefined ? '' : `,"result":${result}`
  return `{"type":"invocationresult","invocation_id":"${invocationId}","function_id":${JSON.stringify(functionId)}${body}${traceFields(trace)}}`
}

/** A binding as its provider is told of it. */
export function formatRegisterTrigger(trigger: Omit<RegisterTriggerFrame, 'type'>): string {
  const metadata = trigger.metadata === undefined ? '' : `,"metadata":${trigger.metadata}`
  const places = textField('namespace', trigger.namespace) + textField('trigger_namespace', trigger.typeNamespace)
  return `{"type":"registertrigger","id":${JSON.stringify(trigger.id)},"trigger_type":${JSON.stringify(trigger.triggerType)},"function_id":${JSON.stringify(trigger.functionId)},"config":${trigger.config}${metadata}${places}}`
}

export function formatUnregisterTrigger(id: string, triggerType: string): string {
  return `{"type":"unregistertrigger","id":${JSON.stringify(id)},"trigger_type":${JSON.stringify(triggerType)}}`
}

export function formatRegistrationResult(
  id: string,
  triggerType: string,
  functionId: string,
  error: WireError,
): string {
  return `{"type":"triggerregistrationresult","id":${JSON.stringify(id)},"trigger_type":${JSON.stringify(triggerType)},"function_id":${JSON.stringify(functionId)},"error":${formatError(error)}}`
}

/** A worker name or a function that somebody else has. */
export interface Conflict {
  readonly code: 'WORKER_NAMESPACE_CONFLICT' | 'FUNCTION_NAMESPACE_CONFLICT'
  readonly namespace: string
  readonly workerName?: string
  readonly functionId?: string
  /** '' when it is the engine. */
  readonly ownerId: string
}

export function formatRejection({ code, namespace, workerName, functionId, ownerId }: Conflict): string {
  return `{"type":"registrationrejected","code":"${code}"${textField('namespace', namespace)}${textField('worker_name', workerName)}${textField('function_id', functionId)}${textField('owner_worker_id', ownerId)}}`
}

/** The frame a refused connection gets before it is closed. */
export function formatRefusal(error: WireError): string {
  return `{"error":${formatError(error)},"type":"error"}`
}

function formatError(error: WireError): string {
  const stack = error.stacktrace === undefined ? '' : `,"stacktrace":${JSON.stringify(error.stacktrace)}`
  return `{"code":${JSON.stringify(error.code)},"message":${JSON.stringify(error.message)}${stack}}`
}

function traceFields(trace: TraceContext): string {
  return textField('traceparent', trace.traceparent) + textField('baggage', trace.baggage)
}

function textField(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`
}
