import { passes } from '../builtins/condition.ts'
import { builtin, builtinType } from '../builtins/define.ts'
import { decodeBinding, type InputShape, type Kind } from '../builtins/input.ts'
import { toObjectSchema } from '../builtins/result-schemas.ts'
import type { BuiltinWorker } from '../bus/builtin-worker.ts'
import type { Bus } from '../bus/bus.ts'
import type { Trigger } from '../bus/trigger.ts'
import { objectText, quote } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import type { TraceContext } from '../wire/outgoing.ts'
import { childTrace, keptTrace } from '../wire/trace-context.ts'
import type { ConfigurationChange, ConfigurationStore, ConfigurationView } from './configuration-store.ts'

const WORKER = 'configuration'

type Announce = (change: ConfigurationChange, trace: TraceContext) => void

/** `configuration::*` and the trigger type `configuration`, in memory. */
export function configurationWorker(bus: Bus, store: ConfigurationStore): BuiltinWorker {
  const bindings = new Map<string, Trigger>()
  const announce: Announce = (change, trace) => {
    for (const trigger of bindings.values()) {
      if (isWanted(trigger, change)) void tell(bus, trigger, formatEvent(change), childTrace(keptTrace(trace)))
    }
  }
  return {
    workerName: WORKER,
    description: 'Settings by id, and a trigger for every change of one.',
    internal: true,
    types: [configurationType(bindings)],
    functions: [...readFunctions(store), ...writeFunctions(store, announce)],
  }
}

function readFunctions(store: ConfigurationStore) {
  return [
    builtin(WORKER, {
      id: 'configuration::get',
      description: 'The value stored under an id.',
      input: { struct: 'ConfigurationGetInput', fields: { id: 'string', raw: 'boolean=' } },
      handle: ({ id, raw }) => objectText({ id: quote(id), value: raw ? store.raw(id) : store.get(id) }),
    }),
    builtin(WORKER, {
      id: 'configuration::schema',
      description: 'Name, description and schema of an id.',
      input: { struct: 'ConfigurationSchemaInput', fields: { id: 'string' } },
      handle: ({ id }) => objectText(formatView(store.view(id))),
    }),
    builtin(WORKER, {
      id: 'configuration::list',
      description: 'Every id with name, description and schema, without values.',
      input: { struct: 'ConfigurationListInput', fields: {} },
      handle: () => objectText({ configurations: arrayText(store.list().map((view) => objectText(formatView(view)))) }),
    }),
  ]
}

function writeFunctions(store: ConfigurationStore, announce: Announce) {
  return [
    builtin(WORKER, {
      id: 'configuration::register',
      description: 'Declares an id; a value that is stored already stays, unless an initial one comes along.',
      input: {
        struct: 'ConfigurationRegisterInput',
        whole: true,
        fields: {
          id: 'string',
          name: 'string',
          description: 'string',
          schema: 'json',
          initial_value: 'json?',
          metadata: 'json?',
        },
      },
      handle({ initial_value: initial, ...view }, { trace }) {
        const change = store.register({ ...view, metadata: view.metadata }, initial)
        announce(change, trace)
        return objectText({ ...formatView(change.entry), value: change.entry.value })
      },
    }),
    builtin(WORKER, {
      id: 'configuration::set',
      description: 'Replaces the value of an id.',
      input: { struct: 'ConfigurationSetInput', fields: { id: 'string', value: 'json' } },
      handle({ id, value }, { trace }) {
        const change = store.set(id, value)
        announce(change, trace)
        return objectText({ old_value: change.previous, new_value: value })
      },
    }),
  ]
}

const BINDING = {
  struct: 'ConfigurationTriggerConfig',
  fields: { configuration_id: 'string?', event_types: 'strings?', condition_function_id: 'string?' },
} as const satisfies InputShape<Record<string, Kind>>

/** It keeps its bindings even when a worker takes the type over. */
function configurationType(bindings: Map<string, Trigger>) {
  return builtinType(WORKER, {
    id: 'configuration',
    description: 'Configuration trigger',
    configSchema:
      '{"properties":{"condition_function_id":{"type":["string","null"]},"configuration_id":{"type":["string","null"]},"event_types":{"items":{"enum":["configuration:registered","configuration:updated","configuration:deleted"]},"type":["array","null"]}},"type":"object"}',
    requestSchema: toObjectSchema(
      'description:string event_type:string id:string metadata?:any name:string new_value?:any old_value?:any schema:any type:string',
    ),
    register(trigger) {
      readBinding(trigger)
      bindings.set(trigger.id, trigger)
    },
    unregister: ({ id }) => void bindings.delete(id),
  })
}

const readBinding = ({ config }: Trigger) => decodeBinding('configuration trigger', BINDING, config)

function isWanted(trigger: Trigger, { type, entry }: ConfigurationChange): boolean {
  const { configuration_id: id, event_types: types } = readBinding(trigger)
  return (id === undefined || id === entry.id) && (types?.includes(`configuration:${type}`) ?? true)
}

async function tell(bus: Bus, trigger: Trigger, event: JsonText, trace: TraceContext): Promise<void> {
  if (await passes(bus, trigger, event, trace)) bus.fire(trigger, event, trace)
}

function formatEvent({ type, entry, oldValue, newValue }: ConfigurationChange): JsonText {
  return objectText({
    ...formatView(entry),
    type: '"configuration"',
    event_type: quote(`configuration:${type}`),
    old_value: oldValue,
    new_value: newValue,
  })
}

function formatView({
  id,
  name,
  description,
  schema,
  metadata,
}: ConfigurationView): Record<string, JsonText | undefined> {
  return { id: quote(id), name: quote(name), description: quote(description), schema, metadata }
}
