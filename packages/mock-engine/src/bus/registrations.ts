import { toWireError } from '../engine-error.ts'
import { objectText, quote, quoteMaybe, toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { type Bus, mayUnbind, providerRoom } from './bus.ts'
import type { RegisterFunctionFrame, RegisterTriggerFrame, RegisterTriggerTypeFrame } from './frames.ts'
import { formatRegisterTrigger, formatRegistrationResult, formatUnregisterTrigger } from './outgoing.ts'
import { Panic } from './panic.ts'
import type { HookKind, Worker } from './workers.ts'

/** Whatever has to be waited for before the next frame of a connection; `undefined` when that is nothing. */
type Wait = Promise<void> | undefined

export function registerFunction(bus: Bus, worker: Worker, frame: RegisterFunctionFrame): Wait {
  // Functions to be called over HTTP need a part of the engine that is not configured: they are lost without a word.
  if (frame.remote || worker.session?.mayRegisterFunctions === false) return undefined
  const { id, description, metadata } = frame
  const asked = () => ({
    function_id: quote(id),
    description: quoteMaybe(description) ?? 'null',
    metadata: metadata ?? 'null',
  })
  return passHook(bus, worker, 'function', asked, (change) =>
    enterFunction(bus, worker, {
      ...frame,
      id: toStringValue(change.get('function_id')) ?? id,
      description: toStringValue(change.get('description')) ?? description,
      metadata: change.get('metadata') ?? metadata,
    }),
  )
}

function enterFunction(bus: Bus, worker: Worker, frame: RegisterFunctionFrame): undefined {
  const id = (worker.session?.prefix ?? '') + frame.id
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

export function unregisterFunction(bus: Bus, worker: Worker, wireId: string): undefined {
  const id = (worker.session?.prefix ?? '') + wireId
  worker.functionIds.delete(id)
  bus.functions.release(id, worker.id)
}

export function registerTriggerType(bus: Bus, worker: Worker, frame: RegisterTriggerTypeFrame): Wait {
  if (worker.session?.mayRegisterTriggerTypes === false) return undefined
  const { id, description } = frame
  const asked = () => ({ trigger_type_id: quote(id), description: quote(description) })
  return passHook(bus, worker, 'triggerType', asked, (change) =>
    enterTriggerType(bus, worker, {
      ...frame,
      id: toStringValue(change.get('trigger_type_id')) ?? id,
      description: toStringValue(change.get('description')) ?? description,
    }),
  )
}

function enterTriggerType(bus: Bus, worker: Worker, frame: RegisterTriggerTypeFrame): undefined {
  bus.triggers.addType({
    id: frame.id,
    description: frame.description,
    configSchema: frame.triggerSchema,
    requestSchema: frame.callSchema,
    responseSchema: undefined,
    provider: {
      workerId: worker.id,
      workerName: undefined,
      register: (trigger) => void worker.send(formatRegisterTrigger(trigger)),
      unregister: (trigger) => void worker.send(formatUnregisterTrigger(trigger.id, trigger.triggerType)),
    },
  })
}

export function registerTrigger(bus: Bus, worker: Worker, frame: RegisterTriggerFrame): Wait {
  const { session } = worker
  const { id, triggerType, functionId, config, metadata } = frame
  if (session && !session.allowsTriggerType(triggerType)) return undefined
  const asked = () => ({
    trigger_id: quote(id),
    trigger_type: quote(triggerType),
    function_id: quote(functionId),
    config,
    metadata: metadata ?? 'null',
  })
  return passHook(bus, worker, 'trigger', asked, (change) =>
    enterTrigger(bus, worker, {
      ...frame,
      id: toStringValue(change.get('trigger_id')) ?? id,
      triggerType: toStringValue(change.get('trigger_type')) ?? triggerType,
      functionId: (session?.prefix ?? '') + (toStringValue(change.get('function_id')) ?? functionId),
      config: change.get('config') ?? config,
    }),
  )
}

function enterTrigger(bus: Bus, worker: Worker, frame: RegisterTriggerFrame): Wait {
  const { id, triggerType, functionId, config, metadata } = frame
  return after(providerRoom(bus, triggerType), () => {
    try {
      bus.triggers.add({ id, triggerType, functionId, config, metadata, ownerId: worker.id })
      return undefined
    } catch (error) {
      if (error instanceof Panic) throw error
      return tell(worker, formatRegistrationResult(id, triggerType, functionId, toWireError(error)))
    }
  })
}

export function unregisterTrigger(bus: Bus, worker: Worker, id: string): Wait {
  const trigger = bus.triggers.find(id)
  if (!trigger || !mayUnbind(bus, trigger, worker.id)) return undefined
  return after(providerRoom(bus, trigger.triggerType), () => {
    bus.triggers.remove(id)
    return undefined
  })
}

/** Sends a worker something; whoever does has to wait while it does not read. */
export function tell(worker: Worker, frame: string): Wait {
  return after(worker.room(), () => {
    worker.send(frame)
    return undefined
  })
}

function after(wait: Wait, work: () => Wait): Wait {
  return wait ? wait.then(work) : work()
}

const NO_CHANGE: ReadonlyMap<string, JsonText> = new Map()

/**
 * Asks the hook of the listener about a registration, if there is one.
 *
 * @param enter - carries the registration out, with what the hook changed; not called when the hook fails or answers
 *   anything but an object, and nobody is told.
 */
function passHook(
  bus: Bus,
  { session }: Worker,
  kind: HookKind,
  asked: () => Record<string, JsonText>,
  enter: (change: ReadonlyMap<string, JsonText>) => Wait,
): Wait {
  const functionId = session?.hooks[kind]
  if (!session || functionId === undefined) return enter(NO_CHANGE)
  const data = objectText({ ...asked(), context: session.context })
  return bus.calls.ask({ functionId, data }).then(({ result, error }) => {
    const change = error ? undefined : toMembers(result ?? 'null')
    return change && enter(change)
  })
}
