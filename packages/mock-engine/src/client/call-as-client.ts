import { randomUUID } from 'node:crypto'
import { InputRequired, type LogMessage, type ProgressReport, toViaIds } from '@iii/protocol'
import { toText } from '../json/build.ts'
import { type ReadNames, refuseUnread, requireListener, toGivenText } from '../suggestions/mistyped.ts'
import { EngineError } from '../wire/engine-error.ts'
import { type BusCaller, connectCaller } from './bus-caller.ts'
import { answerAll, type ClientAnswers } from './questions.ts'
import { requireFit } from './result-problem.ts'

export interface ClientCallOptions {
  /** What the client says when it is asked. Without it, it is one that cannot be asked. */
  readonly answers?: ClientAnswers | undefined
  /** Hears how far the call is. */
  readonly onProgress?: ((report: Omit<ProgressReport, 'call_id'>) => void) | undefined
  /** Hears the log messages for the client. */
  readonly onLog?: ((message: Omit<LogMessage, 'call_id'>) => void) | undefined
  /** Who asks, as the function finds it in `metadata.mcp.principal`; a text is its `id`, and what is not said is as for a token without scopes. */
  readonly principal?: string | Readonly<Record<string, unknown>> | undefined
  /** The name and version of the client. @default { name: 'test' } */
  readonly client?: { readonly name?: string; readonly version?: string } | undefined
  /** What the client can be asked, as MCP has it. @default forms, its model and its roots where there are `answers`, else nothing */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined
  /** Cancels the call as a client does: the function hears of it, and its answer is waited for. */
  readonly signal?: AbortSignal | undefined
  /** Deadline of each call that is made. @default 30_000 */
  readonly timeoutMs?: number | undefined
  /** Whether a result that breaks its schema fails the call. @default true */
  readonly strict?: boolean | undefined
}

/** A function with its schemas, as it was registered or as a contract describes it. */
export interface ClientFunction {
  readonly id: string
  readonly request_format?: unknown
  readonly response_format?: unknown
  readonly request?: unknown
  readonly response?: unknown
}

/** What a schema library says of its types (Standard Schema): zod from 3.24 on, and others. */
type SideOf<Schema, Side extends 'input' | 'output'> = Schema extends {
  readonly '~standard': { readonly types?: infer T }
}
  ? NonNullable<T> extends Record<Side, infer Value>
    ? Value
    : unknown
  : unknown

type PayloadOf<F> = F extends { request_format: infer S } | { request: infer S } ? SideOf<S, 'input'> : unknown
type ResultOf<F> = F extends { response_format: infer S } | { response: infer S } ? SideOf<S, 'output'> : unknown

/** A function that asks again and again is never content with its answers. */
const MAX_ROUNDS = 20

/**
 * Calls a function as an MCP client does through a bridge, so that it reports, asks and hears that it was cancelled. Works on any engine
 * that can be reached, the real one too.
 *
 * @returns what the function returned in the end.
 * @throws EngineError as `engine.call` does; `question_unanswered` for a question that nobody said an answer to. TypeError for an option that
 *   is not read.
 *
 * @example
 * const answers = { 'Which tea for 2?': { kind: 'green', sugar: 1 } }
 * await callAsClient(engine, 'tea::make', { cups: 2 }, { answers, onProgress: ({ progress }) => seen.push(progress) })
 */
export async function callAsClient<Result = unknown>(
  engine: { readonly url: string },
  functionId: string,
  payload?: unknown,
  options?: ClientCallOptions,
): Promise<Result>
/** Calls a function that is given with its schemas, and is typed by them. */
export async function callAsClient<const F extends ClientFunction>(
  engine: { readonly url: string },
  fn: F,
  payload: PayloadOf<F>,
  options?: ClientCallOptions,
): Promise<ResultOf<F>>
export async function callAsClient(
  engine: { readonly url: string },
  fn: string | ClientFunction,
  payload: unknown = {},
  options: ClientCallOptions = {},
): Promise<unknown> {
  const functionId = requireCall(engine, fn)
  requireOptions(options)
  const caller = await connectCaller(engine.url, options.timeoutMs ?? 30_000)
  try {
    return await callThrough(caller, functionId, payload, options)
  } finally {
    caller.close()
  }
}

const READ: ReadNames<ClientCallOptions> = {
  answers: true,
  onProgress: true,
  onLog: true,
  principal: true,
  client: true,
  capabilities: true,
  signal: true,
  timeoutMs: true,
  strict: true,
}

/** @returns the id of the function. */
function requireCall(engine: unknown, fn: unknown): string {
  const id = typeof fn === 'object' && fn !== null && 'id' in fn ? fn.id : fn
  const isEngine = typeof engine === 'object' && engine !== null && 'url' in engine
  if (isEngine && typeof id === 'string' && id !== '') return id
  const given = isEngine ? `${toGivenText(id)} as function` : `${toGivenText(engine)} as engine`
  throw new TypeError(
    `callAsClient takes an engine, or { url: 'ws://…' }, then the id of a function, its payload and options, not ${given}`,
  )
}

function requireOptions(options: ClientCallOptions): void {
  refuseUnread('callAsClient', options, READ)
  const { answers, onProgress, onLog, signal } = options
  if (onProgress !== undefined) requireListener('onProgress of callAsClient', onProgress)
  if (onLog !== undefined) requireListener('onLog of callAsClient', onLog)
  if (signal !== undefined && !('aborted' in signal)) {
    throw new TypeError('callAsClient takes the signal of a controller: controller.signal')
  }
  if (answers !== undefined && typeof answers !== 'function' && (typeof answers !== 'object' || answers === null)) {
    throw new TypeError(
      `callAsClient takes answers as an object, by their questions, or as a function, not as ${toGivenText(answers)}`,
    )
  }
}

async function callThrough(caller: BusCaller, functionId: string, payload: unknown, options: ClientCallOptions) {
  const known = await findFunction(caller, functionId)
  const sidecar = toSidecar(options)
  hear(caller, sidecar.via, options)
  const stopWatching = watchSignal(caller, known, sidecar.call_id, options.signal)
  try {
    const result = await callUntilDone(caller, { functionId, payload, sidecar, answers: options.answers ?? {} })
    if (options.strict !== false && known.response_schema !== undefined) {
      requireFit(functionId, toText(known.response_schema), toText(result))
    }
    return result
  } finally {
    stopWatching()
  }
}

interface ClientCall {
  readonly functionId: string
  readonly payload: unknown
  readonly sidecar: object
  readonly answers: ClientAnswers
}

async function callUntilDone(caller: BusCaller, { functionId, payload, sidecar, answers }: ClientCall) {
  let answered = {}
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await caller.call(functionId, payload, { mcp: { ...sidecar, ...answered } })
    const asked = InputRequired.safeParse(result)
    if (!asked.success) return result
    const { input_requests: requests, request_state } = asked.data
    answered = { input_responses: await answerAll(functionId, requests, answers), request_state }
  }
  throw new EngineError('question_unanswered', `${functionId} has asked ${MAX_ROUNDS} times, and no answer will do`)
}

function toPrincipal(principal: ClientCallOptions['principal']) {
  const said = typeof principal === 'string' ? { id: principal } : principal
  return said && { method: 'token', scopes: [], ...said }
}

function toSidecar({ principal, client = { name: 'test' }, answers, capabilities, onProgress }: ClientCallOptions) {
  const all = answers === undefined ? {} : { elicitation: {}, sampling: {}, roots: {} }
  return {
    call_id: randomUUID(),
    via: `mcp::${randomUUID()}`,
    client,
    client_capabilities: capabilities ?? all,
    progress: onProgress !== undefined,
    principal: toPrincipal(principal),
  }
}

/** What a bridge offers to the functions that it calls. */
function hear(caller: BusCaller, via: string, { onProgress, onLog }: ClientCallOptions): void {
  const ids = toViaIds(via)
  const telling = (tell: ((message: never) => void) | undefined) => (data: Record<string, unknown>) => {
    const { call_id, _caller_worker_id, ...message } = data
    tell?.(message as never)
    return { delivered: tell !== undefined }
  }
  caller.offer(ids.progress, telling(onProgress))
  caller.offer(ids.log, telling(onLog))
  caller.offer(ids.closeStream, () => ({ delivered: true }))
  caller.offer(ids.visible, ({ function_ids }) => ({ visible: function_ids }))
}

interface KnownFunction {
  readonly response_schema?: unknown
  readonly metadata?: Record<string, unknown> | undefined
}

async function findFunction(caller: BusCaller, functionId: string): Promise<KnownFunction> {
  // That there is none is for the call itself to say.
  const known = await caller.call('engine::functions::info', { function_id: functionId }).catch(() => undefined)
  return (known ?? {}) as KnownFunction
}

/** @returns a function that ends it. */
function watchSignal(caller: BusCaller, { metadata }: KnownFunction, callId: string, signal: AbortSignal | undefined) {
  const desk = metadata?.['mcp.cancel']
  const cancel = () => {
    if (typeof desk === 'string') void caller.call(desk, { call_id: callId }).catch(() => undefined)
  }
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  return () => signal?.removeEventListener('abort', cancel)
}
