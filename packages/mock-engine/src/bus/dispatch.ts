import { randomUUID } from 'node:crypto'
import { toWireError } from '../engine-error.ts'
import type { Bus } from './bus.ts'
import { enqueue } from './enqueue.ts'
import type {
  Frame,
  InvokeFrame,
  RegisterFunctionFrame,
  RegisterTriggerFrame,
  RegisterTriggerTypeFrame,
} from './frames.ts'
import {
  formatRegisterTrigger,
  formatRegistrationResult,
  formatResult,
  formatUnregisterTrigger,
  type Outcome,
  PONG,
} from './outgoing.ts'
import { forwardTrace } from './trace-context.ts'
import type { Worker } from './workers.ts'

type Handler<T extends Frame['type']> = (bus: Bus, worker: Worker, frame: Extract<Frame, { type: T }>) => void

const HANDLERS: { readonly [T in Frame['type']]: Handler<T> } = {
  invokefunction: invoke,
  invocationresult: (bus, _worker, frame) => bus.calls.answer(frame.invocationId, frame),
  registerfunction: registerFunction,
  unregisterfunction: (bus, worker, { id }) => unregisterFunction(bus, worker, id),
  registertriggertype: registerTriggerType,
  registertrigger: registerTrigger,
  unregistertrigger: (bus, _worker, { id }) => void bus.triggers.remove(id),
  triggerregistrationresult: (bus, _worker, { id, error }) => bus.triggers.acknowledge(id, error),
  reattach: (bus, worker, { previousWorkerId, token }) => reattach(bus, worker, previousWorkerId, token),
  ping: (_bus, worker) => worker.send(PONG),
  pong: () => {},
  registerservice: () => {},
}

/** Handles one frame of a worker. Registrations take effect before this returns; nothing is acknowledged on success. */
export function dispatch(bus: Bus, worker: Worker, frame: Frame): void {
  const handle = HANDLERS[frame.type] as (bus: Bus, worker: Worker, frame: Frame) => void
  handle(bus, worker, frame)
}

function invoke(bus: Bus, worker: Worker, frame: InvokeFrame): void {
  const { functionId, action, data, metadata } = frame
  const trace = { traceparent: frame.traceparent, baggage: frame.baggage }
  const answer = (id: string, outcome: Outcome) => worker.send(formatResult(id, functionId, outcome, trace))
  const refusal = worker.session?.refuseCall(functionId)
  if (refusal !== undefined) {
    answer(frame.invocationId ?? randomUUID(), { error: { code: 'FORBIDDEN', message: refusal } })
    return
  }
  const invocationId = action?.type === 'void' ? undefined : frame.invocationId
  const settle = (outcome: Outcome) => {
    if (invocationId !== undefined) answer(invocationId, outcome)
  }
  if (action?.type === 'enqueue') enqueue(bus.calls, frame, action.queue, settle)
  else {
    const forwarded = forwardTrace(trace, functionId)
    bus.calls.start({ functionId, data, metadata, invocationId, callerId: worker.id, trace: forwarded }, settle)
  }
}

function registerFunction(bus: Bus, worker: Worker, frame: RegisterFunctionFrame): void {
  const { session } = worker
  // Functions to be called over HTTP need a part of the engine that is not configured: they are lost without a word.
  if (frame.remote || session?.mayRegisterFunctions === false) return
  const id = (session?.prefix ?? '') + frame.id
  worker.functionIds.add(id)
  bus.functions.set({
    id,
    description: frame.description,
    requestSchema: frame.requestSchema,
    responseSchema: frame.responseSchema,
    metadata: frame.metadata,
    host: { kind: 'worker', workerId: worker.id, wireId: frame.id, deliver: (text) => worker.send(text) },
  })
}

function unregisterFunction(bus: Bus, worker: Worker, wireId: string): void {
  const id = (worker.session?.prefix ?? '') + wireId
  worker.functionIds.delete(id)
  bus.functions.release(id, worker.id)
}

function registerTriggerType(bus: Bus, worker: Worker, frame: RegisterTriggerTypeFrame): void {
  if (worker.session?.mayRegisterTriggerTypes === false) return
  bus.triggers.addType({
    id: frame.id,
    description: frame.description,
    configSchema: frame.triggerSchema,
    requestSchema: frame.callSchema,
    responseSchema: undefined,
    provider: {
      workerId: worker.id,
      workerName: undefined,
      register: (trigger) => worker.send(formatRegisterTrigger(trigger)),
      unregister: (trigger) => worker.send(formatUnregisterTrigger(trigger.id, trigger.triggerType)),
    },
  })
}

function registerTrigger(bus: Bus, worker: Worker, frame: RegisterTriggerFrame): void {
  const { id, triggerType, config, metadata } = frame
  const { session } = worker
  if (session && !session.allowsTriggerType(triggerType)) return
  const functionId = (session?.prefix ?? '') + frame.functionId
  try {
    bus.triggers.add({ id, triggerType, functionId, config, metadata, ownerId: worker.id })
  } catch (error) {
    worker.send(formatRegistrationResult(id, triggerType, functionId, toWireError(error)))
  }
}

/** Takes the place of an older connection: whoever has its token may end it. Everything else is ignored. */
function reattach(bus: Bus, worker: Worker, previousId: string, token: string | undefined): void {
  const previous = bus.workers.get(previousId)
  if (previous && previous !== worker && previous.token === token) previous.evict()
}
