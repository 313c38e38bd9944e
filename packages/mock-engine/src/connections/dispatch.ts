import { randomUUID } from 'node:crypto'
import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { Bus } from '../bus/bus.ts'
import type { BusWorker, ListenerSession } from '../bus/workers.ts'
import { objectText, quote, toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import type { CallAction, Frame, InvokeFrame, ResultFrame } from '../wire/frames.ts'
import { blankNamespace, isBlankNamespace } from '../wire/namespace.ts'
import { type CallResult, formatCallResult, PONG } from '../wire/outgoing.ts'
import { forwardTrace } from '../wire/trace-context.ts'
import { enqueue } from './enqueue.ts'
import {
  registerFunction,
  registerTrigger,
  registerTriggerType,
  tell,
  unregisterFunction,
  unregisterTrigger,
} from './registrations.ts'

/** A promise holds back the frames that follow on the same connection. */
type Handler<T extends Frame['type']> = (
  bus: Bus,
  worker: BusWorker,
  frame: Extract<Frame, { type: T }>,
) => Promise<void> | undefined

const HANDLERS: { readonly [T in Frame['type']]: Handler<T> } = {
  invokefunction: invoke,
  invocationresult: answer,
  registerfunction: registerFunction,
  unregisterfunction: (bus, worker, { id }) => unregisterFunction(bus, worker, id),
  registertriggertype: registerTriggerType,
  registertrigger: registerTrigger,
  unregistertrigger: (bus, worker, { id }) => unregisterTrigger(bus, worker, id),
  triggerregistrationresult: (bus, worker, { id, error }) => void bus.triggers.acknowledge(worker.id, id, error),
  reattach,
  ping: (_bus, worker) => tell(worker, PONG),
  pong: () => undefined,
  registerservice: () => undefined,
}

/**
 * Handles one frame of a worker. Registrations are in force when this is done; nothing is acknowledged on success.
 *
 * @returns a promise when the worker has to wait, for somebody who does not read.
 * @throws Panic when the engine panics at it.
 */
export function dispatch(bus: Bus, worker: BusWorker, frame: Frame): Promise<void> | undefined {
  const handle = HANDLERS[frame.type] as Handler<Frame['type']>
  return handle(bus, worker, frame as never)
}

function answer(bus: Bus, worker: BusWorker, frame: ResultFrame): undefined {
  const { invocationId } = frame
  if (bus.defects.answerFromAnyone || bus.calls.calleeOf(invocationId) === worker.id) {
    bus.calls.answer(invocationId, frame, worker.id)
  }
}

function invoke(bus: Bus, worker: BusWorker, frame: InvokeFrame): Promise<void> | undefined {
  const { functionId, namespace, action, data, metadata } = frame
  if (isBlankNamespace(namespace)) return refuseBlank(worker, frame)
  const { session } = worker
  const trace = { traceparent: frame.traceparent, baggage: frame.baggage }
  const format = (id: string, outcome: CallResult) => formatCallResult(id, functionId, outcome, trace)
  const reply = (id: string, outcome: CallResult) => void worker.send(format(id, outcome))
  const refusal = session && refusalOf(session, frame)
  if (refusal !== undefined) {
    const error = { code: 'FORBIDDEN', message: refusal }
    return tell(worker, format(frame.invocationId ?? randomUUID(), { error }))
  }
  const middlewareId = session && middlewareOf(bus, session, frame)
  if (middlewareId !== undefined) {
    const request = { functionId: middlewareId, namespace, data: describeCall(bus, frame, session?.context), metadata }
    bus.calls.start(request, (outcome) => reply(frame.invocationId ?? randomUUID(), outcome))
    return undefined
  }
  const invocationId = action?.type === 'void' ? undefined : frame.invocationId
  const settle = (outcome: CallResult) => {
    if (invocationId !== undefined) reply(invocationId, outcome)
  }
  if (action?.type === 'enqueue') enqueue(bus.calls, frame, action.queue, settle)
  else {
    const isBuiltin = bus.functions.get(functionId, namespace)?.host.kind === 'builtin'
    const passed = isBuiltin ? trace : forwardTrace(trace, functionId)
    bus.calls.start({ functionId, namespace, data, metadata, invocationId, callerId: worker.id, trace: passed }, settle)
  }
  return undefined
}

/** Only a call that has an id hears of it. */
function refuseBlank(worker: BusWorker, { invocationId, functionId }: InvokeFrame): Promise<void> | undefined {
  if (invocationId === undefined) return undefined
  return tell(worker, formatCallResult(invocationId, functionId, { error: blankNamespace('namespace') }, {}))
}

/** Why a connection may not make a call; what it says about itself counts, too. */
function refusalOf(session: ListenerSession, { functionId, namespace, data }: InvokeFrame): string | undefined {
  const refusal = session.refuseCall(functionId, namespace ?? DEFAULT_NAMESPACE)
  if (refusal !== undefined || functionId !== 'engine::workers::register') return refusal
  return session.refuseNamespace(toStringValue(toMembers(data)?.get('namespace')) ?? DEFAULT_NAMESPACE)
}

/** The function that is called in the place of another one. */
function middlewareOf(
  bus: Bus,
  { middlewareId }: ListenerSession,
  { functionId, namespace }: InvokeFrame,
): string | undefined {
  const host = bus.functions.get(functionId, namespace)?.host
  return bus.generation.access.passesMiddleware(functionId, host) ? undefined : middlewareId
}

/** A call as the middleware of a listener gets to see it: without the caller, which nothing adds. */
function describeCall(bus: Bus, frame: InvokeFrame, context: JsonText | undefined): JsonText {
  const { functionId, namespace = DEFAULT_NAMESPACE, data, action } = frame
  return objectText({
    function_id: quote(functionId),
    payload: data,
    action: formatAction(action),
    context,
    ...bus.generation.newer({ namespace: quote(namespace) }),
  })
}

function formatAction(action: CallAction | undefined): JsonText {
  if (!action) return 'null'
  return action.type === 'void' ? '{"type":"void"}' : objectText({ type: '"enqueue"', queue: quote(action.queue) })
}

/** Takes the place of an older connection: whoever has its token may end it. Everything else is ignored. */
function reattach(
  bus: Bus,
  worker: BusWorker,
  { previousWorkerId, token }: { readonly previousWorkerId: string; readonly token: string | undefined },
): Promise<void> | undefined {
  const previous = bus.workers.get(previousWorkerId)
  return previous && previous !== worker && previous.token === token ? previous.evictForReattach() : undefined
}
