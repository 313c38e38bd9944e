import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { Bus } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import type { Trigger } from '../bus/trigger.ts'
import type { TriggerType } from '../bus/trigger-types.ts'
import type { BusWorker } from '../bus/workers.ts'
import { objectText, quote, quoteMaybe, toMembers } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'

/** The worker shown for a function: for a worker's, the first one that registered the id, whoever owns it now. */
export function workerNameOf(bus: Bus, functionId: string, namespace: string): string {
  const recorded = bus.defects.sharedName
    ? (builtinName(bus, functionId, namespace) ?? bus.workers.nameFor(functionId, namespace))
    : ownerName(bus, functionId, namespace)
  return recorded ?? functionId.split('::')[0] ?? functionId
}

function ownerName({ functions, workers }: Bus, functionId: string, namespace: string): string | undefined {
  const host = functions.get(functionId, namespace)?.host
  return host?.kind === 'worker' ? workers.get(host.workerId)?.report?.name : host?.workerName
}

/** The functions a worker shows as its own: those it ever registered, whoever owns them now. */
export function functionsOf({ defects, functions }: Bus, worker: BusWorker): string[] {
  return [...worker.functionIds].filter((id) => {
    const host = functions.get(id, worker.namespaceState.namespace)?.host
    return defects.sharedName || (host?.kind === 'worker' && host.workerId === worker.id)
  })
}

/** A built-in that was taken over still shows the worker it came from. */
function builtinName(bus: Bus, functionId: string, namespace: string): string | undefined {
  if (namespace !== DEFAULT_NAMESPACE) return undefined
  return bus.builtinWorkers.find((worker) => worker.functions.some((entry) => entry.id === functionId))?.workerName
}

/** A function as `engine::functions::list` shows it: no schemas. */
export function functionSummary(bus: Bus, entry: EngineFunction): JsonText {
  return objectText(functionFields(bus, entry))
}

function functionFields(bus: Bus, entry: EngineFunction): Record<string, JsonText | undefined> {
  return {
    function_id: quote(entry.id),
    ...namespaceField(bus, entry),
    worker_name: quote(workerNameOf(bus, entry.id, entry.namespace)),
    description: quoteMaybe(entry.description),
    metadata: entry.metadata,
  }
}

/** Where something is, on an engine that tells. */
export function namespaceField(
  { generation }: Bus,
  { namespace }: { readonly namespace: string },
): Record<string, JsonText> {
  return generation.newer({ namespace: quote(namespace) })
}

/** A function with its schemas and bindings. */
export function functionDetail(bus: Bus, entry: EngineFunction): JsonText {
  const bindings = bus.triggers
    .list()
    .filter(({ functionId, namespace }) => functionId === entry.id && namespace === entry.namespace)
  return objectText({
    ...functionFields(bus, entry),
    request_schema: entry.requestSchema,
    response_schema: entry.responseSchema,
    registered_triggers: arrayText(
      bindings.map(({ id, triggerType, config }) =>
        objectText({ id: quote(id), trigger_type: quote(triggerType), config }),
      ),
    ),
  })
}

/** Whether the default lists leave a function out. */
export function isInternal({ id, metadata }: EngineFunction): boolean {
  if (id.startsWith('engine::') && !id.startsWith('engine::queue::')) return true
  return metadata !== undefined && toMembers(metadata)?.get('internal') === 'true'
}

const SUMMARY_LENGTH = 80

/** A binding as `engine::registered-triggers::list` shows it. */
export function triggerRow(bus: Bus, trigger: Trigger): JsonText {
  return objectText({
    ...triggerFields(bus, trigger),
    config_summary: quote(summarise(trigger.config)),
  })
}

export function triggerFields(bus: Bus, trigger: Trigger): Record<string, JsonText> {
  return {
    id: quote(trigger.id),
    trigger_type: quote(trigger.triggerType),
    function_id: quote(trigger.functionId),
    worker_name: quote(workerNameOf(bus, trigger.functionId, trigger.namespace)),
    config: trigger.config,
  }
}

function summarise(config: JsonText): string {
  const characters = [...config]
  return characters.length <= SUMMARY_LENGTH ? config : `${characters.slice(0, SUMMARY_LENGTH).join('')}…`
}

export function typeWorkerName(bus: Bus, { id, provider }: TriggerType): string {
  const worker = provider.workerId === undefined ? undefined : bus.workers.get(provider.workerId)
  // A built-in type that a worker without a name took over still shows the worker it came from.
  const builtinName = builtinTypeOf(bus, id)?.provider.workerName
  return provider.workerName ?? worker?.report?.name ?? builtinName ?? id.split('::')[0] ?? id
}

function builtinTypeOf({ builtinWorkers }: Bus, typeId: string): TriggerType | undefined {
  return builtinWorkers.flatMap(({ types }) => types).find(({ id }) => id === typeId)
}

export function typeSummary(bus: Bus, type: TriggerType): JsonText {
  return objectText(typeFields(bus, type))
}

function typeFields(bus: Bus, type: TriggerType): Record<string, JsonText> {
  return {
    id: quote(type.id),
    ...namespaceField(bus, type),
    worker_name: quote(typeWorkerName(bus, type)),
    description: quote(type.description),
  }
}

/** The bindings of every namespace are counted. */
export function typeDetail(bus: Bus, type: TriggerType): JsonText {
  const instances = bus.triggers.list().filter((trigger) => trigger.triggerType === type.id)
  const builtin = builtinTypeOf(bus, type.id)
  return objectText({
    ...typeFields(bus, type),
    configuration_schema: type.configSchema ?? builtin?.configSchema,
    request_schema: type.requestSchema ?? builtin?.requestSchema,
    response_schema: type.responseSchema ?? builtin?.responseSchema,
    instance_count: String(instances.length),
  })
}
