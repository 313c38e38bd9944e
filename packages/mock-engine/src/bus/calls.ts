import { randomUUID } from 'node:crypto'
import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { quote, toMembers } from '../json/build.ts'
import { formatObject, type JsonText } from '../json/json-text.ts'
import { toWireError } from '../wire/engine-error.ts'
import type { WireError } from '../wire/frames.ts'
import { type CallResult, formatInvoke, type TraceContext } from '../wire/outgoing.ts'
import type { Counters } from './counters.ts'
import type { BuiltinHandler, BusCall, Functions } from './functions.ts'
import type { Texts } from './generation.ts'
import { Panic } from './panic.ts'

/** A call to be made. */
export interface CallRequest {
  readonly functionId: string
  /** The only one that the function is looked for in. @default 'default' */
  readonly namespace?: string | undefined
  readonly data: JsonText
  /** Made up when absent. */
  readonly invocationId?: string | undefined
  readonly metadata?: JsonText | undefined
  /** What the callee receives as trace context. */
  readonly trace?: TraceContext
  readonly callerId?: string | undefined
}

/** The calls that are under way. */
export interface Calls {
  /** Makes a call; `settle` hears of its outcome once, or never when nobody answers. */
  start(request: CallRequest, settle: (outcome: CallResult) => void): void
  /** The same as a promise, for calls the engine makes itself. */
  ask(request: CallRequest): Promise<CallResult>
  /** Takes the answer to a call from whichever worker knows its id; unknown ids are ignored. */
  answer(invocationId: string, outcome: CallResult, workerId: string): void
  /** Ends what a worker that left was running, and forgets what it was waiting for. */
  halt(workerId: string): void
  /** How many calls a worker is waiting for, or has not answered itself. */
  activeOf(workerId: string): number
  /** The worker that is to answer a call. */
  calleeOf(invocationId: string): string | undefined
}

interface Pending {
  /** The worker that waits for the result. */
  readonly callerId: string | undefined
  readonly calleeId: string
  settle(outcome: CallResult): void
}

/** What a call ends with when its callee leaves. */
export const STOPPED: WireError = { code: 'invocation_stopped', message: 'Invocation stopped' }
const REPLACED: WireError = { code: 'invocation_error', message: 'channel closed' }
/** What it ends with when the connection of its callee is gone without having been cleaned up after. */
const UNREACHABLE: WireError = { code: 'channel_send_failed', message: 'channel closed' }

export function createCalls(
  functions: Functions,
  counters: Counters,
  { functionNotFound }: Pick<Texts, 'functionNotFound'>,
): Calls {
  const pending = new Map<string, Pending>()
  /** The calls that built-ins are at. */
  const answering = new Set<Pick<Pending, 'callerId'>>()

  function start(request: CallRequest, settle: (outcome: CallResult) => void): void {
    const { functionId, namespace = DEFAULT_NAMESPACE, data, metadata, callerId, trace = {} } = request
    const target = functions.get(functionId, namespace)
    if (!target) {
      const caller = callerId === undefined ? 'engine' : 'worker'
      const message = functionNotFound(functionId, namespace, caller, functions.namespacesOf(functionId))
      settle({ error: { code: 'function_not_found', message } })
      return
    }
    const invocationId = request.invocationId ?? randomUUID()
    const { host } = target
    if (host.kind === 'builtin') {
      const call = { callerId: waiterOf(request) }
      answering.add(call)
      const end = (outcome: CallResult) => {
        answering.delete(call)
        counters.count(functionId, outcome.error ? 'error' : 'success')
        settle(outcome)
      }
      runBuiltin(host.handle, { invocationId, functionId, data, metadata, trace, callerId }, end)
      return
    }
    counters.count(functionId, 'deferred')
    pending.get(invocationId)?.settle({ error: REPLACED })
    pending.set(invocationId, { callerId: waiterOf(request), calleeId: host.workerId, settle })
    if (host.deliver(formatInvoke(invocationId, host.wireId, markCaller(data, callerId), trace, metadata))) return
    pending.delete(invocationId)
    settle({ error: UNREACHABLE })
  }

  return {
    start,
    ask: (request) => new Promise((resolve) => start(request, resolve)),
    answer(invocationId, outcome, workerId) {
      const call = pending.get(invocationId)
      if (!call) return
      if (call.calleeId === workerId) pending.delete(invocationId)
      else pending.set(invocationId, withoutCaller(call))
      call.settle(outcome)
    },
    halt(workerId) {
      for (const [id, call] of pending) {
        if (call.calleeId !== workerId && call.callerId !== workerId) continue
        if (call.calleeId === workerId) pending.delete(id)
        else pending.set(id, withoutCaller(call))
        if (call.callerId !== workerId) call.settle({ error: STOPPED })
      }
    },
    activeOf: (workerId) =>
      [...pending.values()].filter((call) => call.callerId === workerId || call.calleeId === workerId).length +
      [...answering].filter(({ callerId }) => callerId === workerId).length,
    calleeOf: (invocationId) => pending.get(invocationId)?.calleeId,
  }
}

/** Nobody waits for a call any more, and its callee still has it. */
function withoutCaller({ calleeId }: Pending): Pending {
  return { callerId: undefined, calleeId, settle: () => {} }
}

/** A worker that gave the call an id waits for its result. */
function waiterOf({ invocationId, callerId }: CallRequest): string | undefined {
  return invocationId === undefined ? undefined : callerId
}

function runBuiltin(handle: BuiltinHandler, call: BusCall, settle: (outcome: CallResult) => void): void {
  const fail = (error: unknown) => {
    if (!(error instanceof Panic)) settle({ error: toWireError(error) })
  }
  try {
    const result = handle(call)
    if (result instanceof Promise) result.then((text) => settle({ result: text }), fail)
    else settle({ result })
  } catch (error) {
    fail(error)
  }
}

const CALLER_KEY = '"_caller_worker_id":'

/** Writes who calls into an object payload, over whatever the caller put there. Other payloads stay as they are. */
function markCaller(data: JsonText, callerId: string | undefined): JsonText {
  if (callerId === undefined || !data.startsWith('{')) return data
  const entry = `${CALLER_KEY}"${callerId}"`
  if (data === '{}') return `{${entry}}`
  const first = data.charCodeAt(2)
  // Keys are sorted: when the first one is a lower-case letter, the entry comes before all others.
  if (first > 95 && first < 123) return `{${entry},${data.slice(1)}`
  return insertSorted(data, callerId)
}

function insertSorted(data: JsonText, callerId: string): JsonText {
  const members = toMembers(data) ?? new Map<string, JsonText>()
  return formatObject(members.set('_caller_worker_id', quote(callerId)))
}
