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
import { childTrace } from '../wire/trace-context.ts'
import type { StateStore } from './store.ts'
import { applyOps } from './update.ts'

const WORKER = 'iii-state'

const ADDRESS = {
  scope: 'Namespace that groups related keys (e.g. `users`, `orders`).',
  key: 'Identifier for the value within the scope.',
} as const

/** `state::*` and the trigger type `state`, over one store. */
export function stateWorker(bus: Bus, store: StateStore): BuiltinWorker {
  const bindings = new Map<string, Trigger>()
  const changed = (change: Change) => announce(bus, bindings, change)
  return {
    workerName: WORKER,
    description: 'Values by scope and key, and a trigger for every change of one.',
    internal: false,
    types: [stateType(bindings)],
    functions: [...readFunctions(store), ...writeFunctions(store, changed)],
  }
}

type ChangeType = 'created' | 'updated' | 'deleted'
type Changed = (change: Change) => void

function readFunctions(store: StateStore) {
  return [
    builtin(WORKER, {
      id: 'state::get',
      description: 'Get a value from state',
      input: { struct: 'StateGetInput', fields: { scope: 'string', key: 'string' }, describe: ADDRESS },
      handle: ({ scope, key }) => store.get(scope, key),
    }),
    builtin(WORKER, {
      id: 'state::list',
      description: 'Get a group from state',
      input: { struct: 'StateGetGroupInput', fields: { scope: 'string' }, describe: { scope: ADDRESS.scope } },
      handle: ({ scope }) => arrayText(store.values(scope)),
    }),
    builtin(WORKER, {
      id: 'state::list_groups',
      description: 'List all state groups',
      input: { struct: 'StateListGroupsInput', fields: {} },
      handle: () => objectText({ groups: arrayText(store.scopes().map(quote)) }),
    }),
  ]
}

function writeFunctions(store: StateStore, changed: Changed) {
  return [
    builtin(WORKER, {
      id: 'state::set',
      description: 'Set a value in state',
      responseSchema: SET_RESULT,
      input: {
        struct: 'StateSetInput',
        fields: { scope: 'string', key: 'string', value: 'json' },
        aliases: { data: 'value' },
        describe: {
          ...ADDRESS,
          value: 'Arbitrary JSON value to store. Replaces any existing value at `scope`/`key`.',
        },
      },
      handle({ scope, key, value }, { trace }) {
        const old = store.set(scope, key, value)
        changed({ type: written(old), scope, key, oldValue: old ?? 'null', newValue: value, trace })
        return objectText({ old_value: old ?? 'null', new_value: value })
      },
    }),
    builtin(WORKER, {
      id: 'state::delete',
      description: 'Delete a value from state',
      input: { struct: 'StateDeleteInput', fields: { scope: 'string', key: 'string' }, describe: ADDRESS },
      handle({ scope, key }, { trace }) {
        const old = store.delete(scope, key)
        changed({ type: 'deleted', scope, key, oldValue: old ?? 'null', newValue: 'null', trace })
        return old
      },
    }),
    builtin(WORKER, {
      id: 'state::update',
      description: 'Update a value in state',
      input: {
        struct: 'StateUpdateInput',
        fields: { scope: 'string', key: 'string', ops: 'ops' },
        describe: { ...ADDRESS, ops: 'Steps applied in order; one that fails is reported and skipped.' },
      },
      handle({ scope, key, ops }, { trace }) {
        const old = store.get(scope, key)
        const { value, errors } = applyOps(old, ops)
        store.set(scope, key, value)
        changed({ type: written(old), scope, key, oldValue: old ?? 'null', newValue: value, trace })
        const reported = errors.length > 0 ? arrayText(errors) : undefined
        return objectText({ old_value: old ?? 'null', new_value: value, errors: reported })
      },
    }),
  ]
}

const SET_RESULT = objectText({
  $schema: quote('http://json-schema.org/draft-07/schema#'),
  title: quote('StreamSetResult'),
  description: quote('Result of a stream set operation.'),
  type: '"object"',
  properties: objectText({
    new_value: '{"description":"The value after the update"}',
    old_value: '{"description":"Previous value (if it existed)."}',
  }),
  required: '["new_value"]',
})

interface Change {
  readonly type: ChangeType
  readonly scope: string
  readonly key: string
  readonly oldValue: JsonText
  readonly newValue: JsonText
  /** Of the call that made it. */
  readonly trace: TraceContext
}

function written(old: JsonText | undefined): ChangeType {
  return old === undefined ? 'created' : 'updated'
}

/** Calls the matching bindings one after another, each awaited; other writes do not wait for them. */
function announce(bus: Bus, all: ReadonlyMap<string, Trigger>, change: Change): void {
  const bindings = [...all.values()].filter((trigger) => matches(trigger, change))
  if (bindings.length === 0) return
  const event = objectText({
    type: '"state"',
    event_type: quote(`state:${change.type}`),
    scope: quote(change.scope),
    key: quote(change.key),
    old_value: change.oldValue,
    new_value: change.newValue,
  })
  void fireInTurn(bus, bindings, event, childTrace(change.trace))
}

async function fireInTurn(bus: Bus, bindings: readonly Trigger[], event: JsonText, trace: TraceContext): Promise<void> {
  for (const trigger of bindings) {
    const { functionId, namespace, metadata } = trigger
    if (await passes(bus, trigger, event, trace)) {
      await bus.calls.ask({ functionId, namespace, data: event, metadata, trace })
    }
  }
}

const EVENT_SCHEMA = toObjectSchema(
  'event_type:string key:string new_value:any old_value?:any scope:string type:string',
)

function matches(trigger: Trigger, change: Change): boolean {
  const { scope = change.scope, key = change.key } = readBinding(trigger)
  return scope === change.scope && key === change.key
}

const BINDING = {
  struct: 'StateTriggerConfig',
  fields: { scope: 'string?', key: 'string?', condition_function_id: 'string?' },
  whole: true,
} as const satisfies InputShape<Record<string, Kind>>

const readBinding = ({ config }: Trigger) => decodeBinding('trigger', BINDING, config)

/** It keeps its bindings even when a worker takes the type over. */
function stateType(bindings: Map<string, Trigger>) {
  return builtinType(WORKER, {
    id: 'state',
    description: 'State change trigger',
    requestSchema: EVENT_SCHEMA,
    configSchema: toObjectSchema('condition_function_id?:string|null key?:string|null scope?:string|null'),
    unregister: ({ id }) => void bindings.delete(id),
    register(trigger) {
      readBinding(trigger)
      bindings.set(trigger.id, trigger)
    },
  })
}
