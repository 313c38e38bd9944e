import { Fault, formatFault, INSTANCE_KEY, isFaultCode, isRecord, parseFault, toPlainMessage } from '@iii/protocol'
import type { Call } from '../engine/call.ts'
import { withTrace } from '../engine/call-context.ts'
import { createResponseLog } from '../http/response-log.ts'
import type { SelfRequests } from '../http/self-requests.ts'
import type { Logger } from '../log.ts'
import { type ErrorBody, formatError, formatReply, type InvokeFrame } from '../wire/frames.ts'
import type { Outgoing } from '../wire/outgoing.ts'
import { createRepeatedBodies } from '../wire/repeated-body.ts'
import type { Replies } from '../wire/replies.ts'
import { createFailureLog } from './failure-log.ts'
import type { RegisteredFunction } from './function.ts'

export interface DispatchOptions {
  functions: ReadonlyMap<string, RegisteredFunction>
  replies: Replies
  instance: string
  selfRequests: Pick<SelfRequests, 'underWay' | 'answer'>
  followsTraces: boolean
  /** Fires when the worker shuts down. */
  signal: AbortSignal
  log: Logger
}

/** Runs our functions for the engine. */
export interface Dispatch {
  /** How many handlers are running. */
  readonly running: number
  invoke(frame: InvokeFrame, bytes: number, epoch: number): void
  /** Answers a call whose message is over the function's limit; nothing of it was read but the ids. */
  refuse(fn: RegisteredFunction, invocationId: string, bytes: number, epoch: number): void
  /** Resolves when no handler runs any more. */
  idle(): Promise<void>
}

interface Reception {
  functionId: string
  checkResult?: RegisteredFunction['checkResult']
  /** It is a request to the engine's HTTP port. */
  isHttp?: boolean
  invocationId: string
  arrivedAt: number
  epoch: number
}

export function createDispatch(options: DispatchOptions): Dispatch {
  const { functions, replies, instance, selfRequests, followsTraces, signal, log } = options
  let running = 0
  let idleWaiters: (() => void)[] = []
  const logFailure = createFailureLog(log)
  const logResult = createResultLog(log)
  const repeated = createRepeatedBodies()

  function reply(to: Reception, message: Outgoing): void {
    if (to.invocationId !== '') replies.send(message, to.arrivedAt, to.epoch)
  }

  function succeed(to: Reception, result: unknown): void {
    let message: Outgoing
    try {
      message = formatReply(to.invocationId, to.functionId, result, repeated)
      reply(to, message)
    } catch (error) {
      fail(to, error)
      return
    }
    logResult(to, result, message)
  }

  function fail(to: Reception, error: unknown): void {
    logFailure(to.functionId, error)
    reply(to, formatError(to.invocationId, to.functionId, toErrorBody(error)))
  }

  function settleLater(to: Reception, work: PromiseLike<unknown>): void {
    running++
    const done = () => {
      if (--running > 0) return
      for (const resolve of idleWaiters) resolve()
      idleWaiters = []
    }
    work.then(
      (result) => {
        succeed(to, result)
        done()
      },
      (error: unknown) => {
        fail(to, error)
        done()
      },
    )
  }

  function settle(to: Reception, work: () => unknown): void {
    try {
      const outcome = work()
      if (isPromiseLike(outcome)) settleLater(to, outcome)
      else succeed(to, outcome)
    } catch (error) {
      fail(to, error)
    }
  }

  return {
    get running() {
      return running
    },
    invoke(frame, bytes, epoch) {
      const [functionId, invocationId] = [frame.function_id, frame.invocation_id ?? '']
      const to: Reception = { functionId, invocationId, arrivedAt: performance.now(), epoch }
      const fn = functions.get(functionId)
      if (fn === undefined) return reply(to, formatError(invocationId, functionId, toNotFound(functionId)))
      if (signal.aborted) return fail(to, new Fault('unavailable', 'This worker is shutting down'))
      const own = selfRequests.underWay.size > 0 ? selfRequests.answer(frame.data) : undefined
      if (own !== undefined) return succeed(to, own)
      to.checkResult = fn.checkResult
      to.isHttp = isHttpRequest(frame.data)
      const call = toCall(frame, { invocationId, bytes, signal })
      const run = () => fn.run(frame.data, withoutInstance(frame.metadata, instance), call)
      settle(to, followsTraces ? () => withTrace(call.trace, run) : run)
    },
    refuse(fn, invocationId, bytes, epoch) {
      const to: Reception = { functionId: fn.id, invocationId, arrivedAt: performance.now(), epoch }
      settle(to, () => fn.tooLarge(bytes))
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))
    },
  }
}

function toCall(
  { function_id: functionId, data, traceparent, baggage }: InvokeFrame,
  known: Pick<Call, 'invocationId' | 'bytes' | 'signal'>,
): Call {
  const { invocationId, bytes, signal } = known
  const trace = { traceparent, baggage }
  return { functionId, invocationId, callerWorkerId: takeCaller(data), bytes, trace, signal }
}

function toNotFound(functionId: string): ErrorBody {
  return { code: 'function_not_found', message: `Function ${functionId} not found` }
}

/**
 * What leaves the process of an error, never with a stack: a Fault's message as its author wrote it, with the code inside it; any other
 * message without paths and secrets, because nobody wrote it for the caller, and the engine hands it to whoever asked over HTTP.
 */
export function toErrorBody(error: unknown): ErrorBody {
  if (!(error instanceof Fault && isFaultCode(error.code))) {
    return { code: 'invocation_failed', message: toShown(toMessage(error)) || UNKNOWN }
  }
  const { code, message } = error
  return { code: 'invocation_failed', message: formatFault({ code, message: withoutStack(message) }) }
}

/** Tells in the log, once for each function, what is wrong with a result that went out all the same. */
function createResultLog(log: Logger) {
  const logResponse = createResponseLog(log)
  return ({ functionId, checkResult, isHttp }: Reception, result: unknown, message: Outgoing): void => {
    if (isHttp && isRecord(result) && mayBeMisread(result)) logResponse(functionId, result)
    const problem = checkResult?.(message)
    if (problem !== undefined) log.warn({ function_id: functionId }, toResultWarning(functionId, problem))
  }
}

/** The engine reads the result of such a call as a response. */
function isHttpRequest(payload: unknown): boolean {
  if (!(isRecord(payload) && typeof payload['method'] === 'string')) return false
  const { response } = payload
  return isRecord(response) && typeof response['channel_id'] === 'string'
}

function mayBeMisread({ status_code: status, body }: Record<string, unknown>): boolean {
  return typeof status !== 'number' || ArrayBuffer.isView(body)
}

function toResultWarning(functionId: string, problem: string): string {
  const what = `${functionId} returned what breaks its response_format (${problem})`
  return `${what}: MCP clients refuse such results; this is said once`
}

const UNKNOWN = 'unknown error'

/** Anything can be thrown, also what cannot be shown; a worker must not end for it. */
function toMessage(error: unknown): string {
  try {
    // A Fault that was given its message alone has it in the place of its code.
    if (error instanceof Fault) return String(error.message || error.code)
    if (error instanceof Error) return String(error.message || toPartMessages(error) || error.name)
    if (!isRecord(error)) return toBareText(error)
    // Some libraries throw plain objects; one without a message would be `[object Object]`.
    const { message } = error
    return typeof message === 'string' && message !== '' ? message : toOtherText(String(error))
  } catch {
    return UNKNOWN
  }
}

/** Of an address that several were tried for, such as `localhost`, Node says what went wrong with each, and nothing of the whole. */
function toPartMessages(error: Error): string {
  if (!(error instanceof AggregateError)) return ''
  return [...new Set(error.errors.map(toMessage))].slice(0, 3).join('; ')
}

/** Of what is no object only a text or a number tells anybody something. */
function toBareText(error: unknown): string {
  if (error === '') return `An empty text ${IS_NO_ERROR}`
  if (typeof error === 'function') return `A function ${IS_NO_ERROR}`
  return (error ?? undefined) === undefined ? `${error} ${IS_NO_ERROR}` : String(error)
}

const IS_NO_ERROR = 'was thrown, which is no Error and has no message'

function toOtherText(text: string): string {
  return text.startsWith('[object ') ? `${text} ${IS_NO_ERROR}` : text
}

/** A long message of another function's fault that goes on through here must not lose the code at its end. */
function toShown(message: string): string {
  const fault = parseFault(message)
  return fault === undefined
    ? toPlainMessage(message)
    : formatFault({ ...fault, message: toPlainMessage(fault.message) })
}

/** Some errors carry the stack of another one inside their message. */
function withoutStack(message: string): string {
  if (!message.includes('\n    at ')) return message
  return message.replace(/\n {4}at .*/g, '')
}

/** The engine puts the caller's connection id into every object payload; it is not part of what the caller sent. */
function takeCaller(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, CALLER_KEY)) return undefined
  const fields = payload as Record<string, unknown>
  const caller = fields[CALLER_KEY]
  delete fields[CALLER_KEY]
  return typeof caller === 'string' ? caller : undefined
}

const CALLER_KEY = '_caller_worker_id'

/** A trigger's metadata comes back with the nonce that we put into it; whoever registered it did not. */
function withoutInstance(metadata: unknown, instance: string): unknown {
  if (metadata === null) return undefined
  if (typeof metadata !== 'object') return metadata
  const fields = metadata as Record<string, unknown>
  if (fields[INSTANCE_KEY] !== instance) return metadata
  delete fields[INSTANCE_KEY]
  return Object.keys(fields).length === 0 ? undefined : fields
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
