import type { Bus } from '../bus/bus.ts'
import type { EngineFunction } from '../bus/functions.ts'
import type { Trigger, TriggerType } from '../bus/triggers.ts'
import { objectText, quote, quoteMaybe, toMembers } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'

/** The worker shown for a function: for a worker's, the first one that registered the id, whoever owns it now. */
export function workerNameOf(bus: Bus, functionId: string): string {
  const host = bus.functions.get(functionId)?.host
  return (
    builtinName(bus, functionId) ??
    bus.workers.nameFor(functionId) ??
    (host?.kind === 'builtin' ? host.workerName : (functionId.split('::')[0] ?? functionId))
  )
}

/** A built-in that was taken over still shows the worker it came from. */
function builtinName(bus: Bus, functionId: string): string | undefined {
  return bus.families.find((family) => family.functions.some((entry) => entry.id === functionId))?.workerName
}

/** A function as `engine::functions::list` shows it: no schemas. */
export function functionSummary(bus: Bus, entry: EngineFunction): JsonText {
  return objectText({
    function_id: quote(entry.id),
    worker_name: quote(workerNameOf(bus, entry.id)),
    description: quoteMaybe(entry.description),
    metadata: entry.metadata,
  })
}

/** A function with its schemas and bindings. */
export function functionDetail(bus: Bus, entry: EngineFunction): JsonText {
  const bindings = bus.triggers.list().filter((trigger) => trigger.functionId === entry.id)
  return objectText({
    function_id: quote(entry.id),
    worker_name: quote(workerNameOf(bus, entry.id)),
    description: quoteMaybe(entry.description),
    request_schema: entry.requestSchema,
    response_schema: entry.responseSchema,
    metadata: entry.metadata,
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
    worker_name: quote(workerNameOf(bus, trigger.functionId)),
    config: trigger.config,
  }
}

function summarise(config: JsonText): string {
  const characters = [...config]
  return characters.length <= SUMMARY_LENGTH ? config : `${characters.slice(0, SUMMARY_LENGTH).join('')}…`
}

export function typeWorkerName(bus: Bus, { id, provider }: TriggerType): string {
  const worker = provider.workerId === undefined ? undefined : bus.workers.get(provider.workerId)
  return provider.workerName ?? worker?.report?.name ?? id.split('::')[0] ?? id
}

export function typeSummary(bus: Bus, type: TriggerType): JsonText {
  return objectText({
    id: quote(type.id),
    worker_name: quote(typeWorkerName(bus, type)),
    description: quote(type.description),
  })
}

export function typeDetail(bus: Bus, type: TriggerType): JsonText {
  const instances = bus.triggers.list().filter((trigger) => trigger.triggerType === type.id)
  return objectText({
    id: quote(type.id),
    worker_name: quote(typeWorkerName(bus, type)),
    description: quote(type.description),
    configuration_schema: type.configSchema,
    request_schema: type.requestSchema,
    response_schema: type.responseSchema,
    instance_count: String(instances.length),
  })
}
