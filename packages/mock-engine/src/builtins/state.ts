import type { Bus } from '../bus/bus.ts'
import type { Trigger } from '../bus/triggers.ts'
import { EngineError } from '../engine-error.ts'
import { objectText, quote, toItems, toMembers, toStringValue } from '../json/build.ts'
import { arrayText, type JsonText } from '../json/json-text.ts'
import type { StateStore } from '../state/store.ts'
import { applyOps } from '../state/update.ts'
import { passes } from './condition.ts'
import { builtin, builtinType, type Family } from './define.ts'

const WORKER = 'iii-state'

const ADDRESS = {
  scope: 'Namespace that groups related keys (e.g. `users`, `orders`).',
  key: 'Identifier for the value within the scope.',
} as const

/** `state::*` and the trigger type `state`, over one store. */
export function stateFamily(bus: Bus, store: StateStore): Family {
  const changed = (type: ChangeType, scope: string, key: string, oldValue: JsonText, newValue: JsonText) =>
    announce(bus, { type, scope, key, oldValue, newValue })
  return {
    workerName: WORKER,
    description: 'Values by scope and key, and a trigger for every change of one.',
    types: [stateType()],
    functions: [...readFunctions(store), ...writeFunctions(store, changed)],
  }
}

type ChangeType = 'created' | 'updated' | 'deleted'
type Changed = (type: ChangeType, scope: string, key: string, oldValue: JsonText, newValue: JsonText) => void

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
      handle({ scope, key, value }) {
        const old = store.set(scope, key, value)
        changed(old === undefined ? 'created' : 'updated', scope, key, old ?? 'null', value)
        return objectText({ old_value: old ?? 'null', new_value: value })
      },
    }),
    builtin(WORKER, {
      id: 'state::delete',
      description: 'Delete a value from state',
      input: { struct: 'StateDeleteInput', fields: { scope: 'string', key: 'string' }, describe: ADDRESS },
      handle({ scope, key }) {
        const old = store.delete(scope, key)
        changed('deleted', scope, key, old ?? 'null', 'null')
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
      handle({ scope, key, ops }) {
        const old = store.get(scope, key)
        const { value, errors } = applyOps(old, ops)
        store.set(scope, key, value)
        changed(old === undefined ? 'created' : 'updated', scope, key, old ?? 'null', value)
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
}

/** Calls the matching bindings one after another, each awaited; other writes do not wait for them. */
function announce(bus: Bus, change: Change): void {
  const bindings = bus.triggers.list().filter((trigger) => trigger.triggerType === 'state' && matches(trigger, change))
  if (bindings.length === 0) return
  const event = objectText({
    type: '"state"',
    event_type: quote(`state:${change.type}`),
    scope: quote(change.scope),
    key: quote(change.key),
    old_value: change.oldValue,
    new_value: change.newValue,
  })
  void fireInTurn(bus, bindings, event)
}

async function fireInTurn(bus: Bus, bindings: readonly Trigger[], event: JsonText): Promise<void> {
  for (const { functionId, metadata, config } of bindings) {
    if (await passes(bus, config, event)) await bus.calls.ask({ functionId, data: event, metadata })
  }
}

function matches({ config }: Trigger, change: Change): boolean {
  const members = toMembers(config)
  const wants = (name: string, value: string) => {
    const filter = toStringValue(members?.get(name))
    return filter === undefined || filter === value
  }
  return wants('scope', change.scope) && wants('key', change.key)
}

function stateType() {
  return builtinType(WORKER, {
    id: 'state',
    description: 'State change trigger',
    configSchema:
      '{"properties":{"condition_function_id":{"type":["string","null"]},"key":{"type":["string","null"]},"scope":{"type":["string","null"]}},"type":"object"}',
    register({ config }) {
      if (toMembers(config) || toItems(config)) return
      const kind = config === 'null' ? 'null' : `\`${config}\``
      throw new EngineError(
        'trigger_registration_failed',
        `Failed to parse trigger config: invalid type: ${kind}, expected struct StateTriggerConfig`,
      )
    },
  })
}
