import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { type Bus, mayUnbind, providerDrained } from '../bus/bus.ts'
import { Panic } from '../bus/panic.ts'
import type { Trigger } from '../bus/trigger.ts'
import type { BusWorker, HookKind } from '../bus/workers.ts'
import { objectText, quote, quoteMaybe, toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'
import { toWireError } from '../wire/engine-error.ts'
import type {
  RegisterFunctionFrame,
  RegisterTriggerFrame,
  RegisterTriggerTypeFrame,
  WireError,
} from '../wire/frames.ts'
import { blankNamespace, isBlankNamespace, toWireNamespace } from '../wire/namespace.ts'
import {
  formatRegisterTrigger,
  formatRegistrationResult,
  formatRejection,
  formatUnregisterTrigger,
} from '../wire/outgoing.ts'

/** Whatever has to be waited for before the next frame of a connection; `undefined` when that is nothing. */
type Wait = Promise<void> | undefined

export function registerFunction(bus: Bus, worker: BusWorker, frame: RegisterFunctionFrame): Wait {
  if (worker.session?.mayRegisterFunctions === false) return undefined
  const { id, description, metadata } = frame
  const asked = () => ({
    function_id: quote(id),
    description: quoteMaybe(description) ?? 'null',
    metadata: metadata ?? 'null',
    ...bus.generation.newer({ namespace: quote(worker.namespaceState.namespace) }),
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

function enterFunction(bus: Bus, worker: BusWorker, frame: RegisterFunctionFrame): Wait {
  const id = (worker.session?.prefix ?? '') + frame.id
  const { namespace } = worker.namespaceState
  const ownerId = bus.generation.conflictingOwner(bus.functions, worker, id)
  if (ownerId !== undefined) {
    return tell(worker, formatRejection({ code: 'FUNCTION_NAMESPACE_CONFLICT', namespace, functionId: id, ownerId }))
  }
  // Functions to be called over HTTP need a part of the engine that is not configured: they are lost without a word.
  if (frame.remote) return undefined
  worker.functionIds.add(id)
  bus.functions.set({
    id,
    namespace,
    description: frame.description,
    requestSchema: frame.requestSchema,
    responseSchema: frame.responseSchema,
    metadata: frame.metadata,
    host: { kind: 'worker', workerId: worker.id, wireId: frame.id, deliver: (text) => worker.send(text) },
  })
  return undefined
}

export function unregisterFunction(bus: Bus, worker: BusWorker, wireId: string): undefined {
  const id = (worker.session?.prefix ?? '') + wireId
  worker.functionIds.delete(id)
  bus.functions.release(id, worker.namespaceState.namespace, worker.id)
}

export function registerTriggerType(bus: Bus, worker: BusWorker, frame: RegisterTriggerTypeFrame): Wait {
  if (isBlankNamespace(frame.namespace) || worker.session?.mayRegisterTriggerTypes === false) return undefined
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

function enterTriggerType(bus: Bus, worker: BusWorker, frame: RegisterTriggerTypeFrame): undefined {
  const namespace = frame.namespace ?? worker.namespaceState.namespace
  bus.triggers.addType({
    id: frame.id,
    namespace,
    description: frame.description,
    configSchema: frame.triggerSchema,
    requestSchema: frame.callSchema,
    responseSchema: undefined,
    provider: {
      workerId: worker.id,
      workerName: undefined,
      register: (trigger) => void worker.send(formatRegisterTrigger(toWire(trigger, namespace))),
      unregister: (trigger) => void worker.send(formatUnregisterTrigger(trigger.id, trigger.triggerType)),
    },
  })
}

/** A binding as its provider sees it, whose own namespace it is told. */
function toWire(trigger: Trigger, place: string) {
  return { ...trigger, namespace: toWireNamespace(trigger.namespace), typeNamespace: toWireNamespace(place) }
}

export function registerTrigger(bus: Bus, worker: BusWorker, frame: RegisterTriggerFrame): Wait {
  const { session } = worker
  const { id, triggerType, functionId, config, metadata } = frame
  const blank = isBlankNamespace(frame.namespace)
    ? 'namespace'
    : isBlankNamespace(frame.typeNamespace)
      ? 'trigger_namespace'
      : undefined
  if (blank !== undefined) return refuseTrigger(worker, frame, blankNamespace(blank))
  if (session && !session.allowsTriggerType(triggerType)) return undefined
  const asked = () => ({
    trigger_id: quote(id),
    trigger_type: quote(triggerType),
    function_id: quote(functionId),
    config,
    metadata: metadata ?? 'null',
    ...bus.generation.newer({ namespace: quote(frame.namespace ?? DEFAULT_NAMESPACE) }),
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

function enterTrigger(bus: Bus, worker: BusWorker, frame: RegisterTriggerFrame): Wait {
  const { functionId, namespace = DEFAULT_NAMESPACE } = frame
  const { session, namespaceState } = worker
  if (bus.generation.access.targetsGated && session?.refuseCall(functionId, namespace) !== undefined) {
    const message = `function '${functionId}' not allowed in namespace '${namespace}'`
    return refuseTrigger(worker, frame, { code: 'FORBIDDEN', message })
  }
  const { id, triggerType, config, metadata, typeNamespace } = frame
  const places = { namespace, typeNamespace, ownNamespace: namespaceState.namespace }
  return after(providerDrained(bus, { triggerType, ...places }), () => {
    try {
      bus.triggers.add({ id, triggerType, functionId, config, metadata, ownerId: worker.id, ...places })
      return undefined
    } catch (error) {
      if (error instanceof Panic) throw error
      return refuseTrigger(worker, frame, toWireError(error))
    }
  })
}

function refuseTrigger(
  worker: BusWorker,
  { id, triggerType, functionId }: RegisterTriggerFrame,
  error: WireError,
): Wait {
  return tell(worker, formatRegistrationResult(id, triggerType, functionId, error))
}

export function unregisterTrigger(bus: Bus, worker: BusWorker, id: string): Wait {
  const trigger = bus.triggers.find(id)
  if (!trigger || !mayUnbind(bus, trigger, worker.id)) return undefined
  return after(providerDrained(bus, trigger), () => {
    bus.triggers.remove(id)
    return undefined
  })
}

/** Sends a worker something; whoever does has to wait while it does not read. */
export function tell(worker: BusWorker, frame: string): Wait {
  return after(worker.drained(), () => {
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
  { session }: BusWorker,
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
