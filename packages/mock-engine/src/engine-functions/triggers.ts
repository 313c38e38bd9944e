import { randomUUID } from 'node:crypto'
import { DEFAULT_NAMESPACE } from '@iii/protocol'
import { builtin } from '../builtins/define.ts'
import { type Bus, mayUnbind, providerDrained } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import { ENGINE_NAMESPACES, type Trigger } from '../bus/trigger.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText, compareBytes } from '../json/json-text.ts'
import { EngineError } from '../wire/engine-error.ts'
import {
  functionDetail,
  triggerFields,
  triggerRow,
  typeDetail,
  typeSummary,
  typeWorkerName,
  workerNameOf,
} from './rows.ts'

/** How long a providing worker may take to refuse a binding made by a function call, in milliseconds. */
const VERDICT_MS = 10_000

/** `engine::triggers::*`, which are about trigger types. */
export function triggerTypeBuiltins(bus: Bus, workerName: string): EngineFunction[] {
  return [
    builtin(workerName, {
      id: 'engine::triggers::list',
      description: 'The trigger types somebody provides.',
      input: {
        struct: 'TriggersListInput',
        fields: { search: 'string?', prefix: 'string?', worker: 'string?', include_internal: 'boolean?' },
      },
      handle({ search, prefix = '', worker, include_internal: all }) {
        const wanted = search?.toLowerCase() ?? ''
        const types = bus.triggers
          .types()
          .filter(({ id }) => id.startsWith(prefix) && (all || !id.startsWith('engine::')))
          .filter((type) => worker === undefined || typeWorkerName(bus, type) === worker)
          .filter(({ id, description }) => `${id}\n${description}`.toLowerCase().includes(wanted))
          .sort((a, b) => compareBytes(a.id, b.id))
        return objectText({ triggers: arrayText(types.map((type) => typeSummary(bus, type))) })
      },
    }),
    builtin(workerName, {
      id: 'engine::triggers::info',
      description: 'One trigger type: schemas, worker and number of bindings.',
      input: {
        struct: 'TriggerInfoInput',
        fields: { id: 'string', ...bus.generation.newer({ namespace: 'string?' } as const) },
      },
      handle({ id, namespace = DEFAULT_NAMESPACE }) {
        const type = bus.triggers.type(id, namespace)
        if (!type) throw new EngineError('NOT_FOUND', bus.generation.texts.triggerTypeNotFound(id, namespace))
        return typeDetail(bus, type)
      },
    }),
  ]
}

/** `engine::registered-triggers::*`, which are about bindings; parked ones are not shown. */
export function bindingBuiltins(bus: Bus, workerName: string): EngineFunction[] {
  return [
    builtin(workerName, {
      id: 'engine::registered-triggers::list',
      description: 'The bindings that are in force.',
      input: {
        struct: 'RegisteredTriggersListInput',
        fields: {
          search: 'string?',
          trigger_type: 'string?',
          function_id: 'string?',
          worker: 'string?',
          include_internal: 'boolean?',
        },
      },
      handle(filter) {
        const wanted = filter.search?.toLowerCase() ?? ''
        const rows = bus.triggers
          .list()
          .filter(({ functionId }) => filter.include_internal || !functionId.startsWith('engine::'))
          .filter((trigger) => filter.trigger_type === undefined || trigger.triggerType === filter.trigger_type)
          .filter((trigger) => filter.function_id === undefined || trigger.functionId === filter.function_id)
          .filter(
            ({ functionId, namespace }) =>
              filter.worker === undefined || workerNameOf(bus, functionId, namespace) === filter.worker,
          )
          .filter((trigger) => searchText(trigger).includes(wanted))
          .toSorted((a, b) => compareBytes(a.id, b.id))
        return objectText({ registered_triggers: arrayText(rows.map((trigger) => triggerRow(bus, trigger))) })
      },
    }),
    builtin(workerName, {
      id: 'engine::registered-triggers::info',
      description: 'One binding with its trigger type and its function.',
      input: { struct: 'RegisteredTriggerInfoInput', fields: { id: 'string' } },
      handle({ id }) {
        const trigger = bus.triggers.get(id)
        if (!trigger) throw new EngineError('NOT_FOUND', `Registered trigger '${id}' was not found.`)
        const type = bus.triggers.servedBy(id)
        const entry = bus.functions.get(trigger.functionId, trigger.namespace)
        return objectText({
          ...triggerFields(bus, trigger),
          metadata: trigger.metadata,
          trigger: type ? typeDetail(bus, type) : 'null',
          function: entry ? functionDetail(bus, entry) : 'null',
        })
      },
    }),
  ]
}

function searchText({ id, triggerType, functionId }: Trigger): string {
  return `${id}\n${triggerType}\n${functionId}`.toLowerCase()
}

/** `engine::register_trigger` and `engine::unregister_trigger`: bindings that belong to no connection. */
export function bindingMakers(bus: Bus, workerName: string): EngineFunction[] {
  return [
    builtin(workerName, {
      id: 'engine::register_trigger',
      description: 'Binds a function to a trigger type until it is unregistered, whoever stays connected.',
      input: {
        struct: 'RegisterTriggerInput',
        fields: {
          trigger_type: 'string',
          function_id: 'string',
          config: 'json?',
          metadata: 'json?',
          ...bus.generation.newer({ trigger_namespace: 'string?' } as const),
        },
      },
      async handle(input, { callerId }) {
        const { trigger_type: triggerType, function_id: target, config = 'null', metadata } = input
        const session = callerId === undefined ? undefined : bus.workers.get(callerId)?.session
        if (session && !session.allowsTriggerType(triggerType)) {
          throw new EngineError('FORBIDDEN', `Trigger type '${triggerType}' is not allowed for this session.`)
        }
        const id = randomUUID()
        const functionId = (session?.prefix ?? '') + target
        const places = { ...ENGINE_NAMESPACES, typeNamespace: input.trigger_namespace }
        await providerDrained(bus, { triggerType, ...places })
        const binding = { id, triggerType, functionId, config, metadata, ownerId: undefined, ...places }
        const error = await bus.triggers.propose(binding, VERDICT_MS)
        if (error) throw new EngineError('trigger_registration_failed', `${error.code}: ${error.message}`)
        return objectText({ id: quote(id) })
      },
    }),
    builtin(workerName, {
      id: 'engine::unregister_trigger',
      description: 'Removes a binding by its id; says whether there was one.',
      input: { struct: 'UnregisterTriggerInput', fields: { id: 'string', trigger_type: 'string?' } },
      async handle({ id }, { callerId }) {
        const trigger = bus.triggers.find(id)
        await (trigger && providerDrained(bus, trigger))
        const removed = trigger !== undefined && mayUnbind(bus, trigger, callerId) && bus.triggers.remove(id)
        return objectText({ removed: String(removed) })
      },
    }),
  ]
}
