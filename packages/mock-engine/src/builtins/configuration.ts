import type { Bus } from '../bus/bus.ts'
import { EngineError } from '../engine-error.ts'
import { objectText, quote, toItems, toMembers, toStringValue } from '../json/build.ts'
import { arrayText, compareBytes, type JsonText } from '../json/json-text.ts'
import { builtin, builtinType, type Family } from './define.ts'

const WORKER = 'configuration'

/** Settings that a worker declared, and their value. */
interface Entry {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly schema: JsonText
  readonly metadata: JsonText | undefined
  value: JsonText
}

/** Settings of the engine itself: read as they are, changed through the same functions. */
export interface OwnSettings {
  readonly id: string
  readonly name: string
  readonly description: string
  read(): JsonText
  write(value: JsonText): void
}

type ChangeType = 'registered' | 'updated'

/** `configuration::*` and the trigger type `configuration`, in memory. Values are not held against their schema. */
export function configurationFamily(bus: Bus, own: OwnSettings): Family {
  const entries = new Map<string, Entry>()
  const find = (id: string) => (id === own.id ? ownEntry(own) : entries.get(id))
  const found = (id: string) => find(id) ?? notFound(id)
  return {
    workerName: WORKER,
    description: 'Settings by id, and a trigger for every change of one.',
    types: [builtinType(WORKER, { id: 'configuration', description: 'Configuration trigger' })],
    functions: [
      builtin(WORKER, {
        id: 'configuration::get',
        description: 'The value stored under an id.',
        input: { struct: 'ConfigurationGetInput', fields: { id: 'string', raw: 'boolean?' } },
        handle: ({ id }) => objectText({ id: quote(id), value: found(id).value }),
      }),
      builtin(WORKER, {
        id: 'configuration::schema',
        description: 'Name, description and schema of an id.',
        input: { struct: 'ConfigurationSchemaInput', fields: { id: 'string' } },
        handle: ({ id }) => objectText(viewOf(found(id))),
      }),
      builtin(WORKER, {
        id: 'configuration::list',
        description: 'Every id with name, description and schema, without values.',
        input: { struct: 'ConfigurationListInput', fields: {} },
        handle() {
          const rows = [ownEntry(own), ...entries.values()].sort((a, b) => compareBytes(a.id, b.id))
          return objectText({ configurations: arrayText(rows.map((entry) => objectText(viewOf(entry)))) })
        },
      }),
      ...writeFunctions(bus, own, entries),
    ],
  }
}

function writeFunctions(bus: Bus, own: OwnSettings, entries: Map<string, Entry>) {
  return [
    builtin(WORKER, {
      id: 'configuration::register',
      description: 'Declares an id; a value that is stored already stays, unless an initial one comes along.',
      input: {
        struct: 'ConfigurationRegisterInput',
        fields: {
          id: 'string',
          name: 'string',
          description: 'string',
          schema: 'json',
          initial_value: 'json?',
          metadata: 'json?',
        },
      },
      handle({ id, name, description, schema, initial_value: initial, metadata }) {
        if (!/^[a-z0-9_-]{1,64}$/.test(id)) {
          throw new EngineError('INVALID_ID', `invalid configuration id '${id}': must match [a-z0-9_-]{1,64}`)
        }
        const old = entries.get(id)
        const entry = { id, name, description, schema, metadata, value: initial ?? old?.value ?? 'null' }
        entries.set(id, entry)
        announce(bus, 'registered', entry, old?.value ?? 'null')
        return objectText({ ...viewOf(entry), value: entry.value })
      },
    }),
    builtin(WORKER, {
      id: 'configuration::set',
      description: 'Replaces the value of an id.',
      input: { struct: 'ConfigurationSetInput', fields: { id: 'string', value: 'json' } },
      handle({ id, value }) {
        const entry = id === own.id ? ownEntry(own) : entries.get(id)
        if (!entry) {
          const reason = `configuration '${id}' is not registered; call configuration::register first`
          throw new EngineError('NOT_REGISTERED', reason)
        }
        const old = entry.value
        entry.value = value
        if (id === own.id) own.write(value)
        announce(bus, 'updated', entry, old)
        return objectText({ old_value: old, new_value: value })
      },
    }),
  ]
}

function notFound(id: string): never {
  throw new EngineError('NOT_FOUND', `configuration '${id}' not found`)
}

function ownEntry(own: OwnSettings): Entry {
  const { id, name, description } = own
  return { id, name, description, schema: '{"type":"object"}', metadata: undefined, value: own.read() }
}

function viewOf({ id, name, description, schema, metadata }: Entry): Record<string, JsonText | undefined> {
  return { id: quote(id), name: quote(name), description: quote(description), schema, metadata }
}

function announce(bus: Bus, type: ChangeType, entry: Entry, oldValue: JsonText): void {
  const event = objectText({
    ...viewOf(entry),
    type: '"configuration"',
    event_type: quote(`configuration:${type}`),
    old_value: oldValue,
    new_value: entry.value,
  })
  for (const trigger of bus.triggers.list()) {
    if (trigger.triggerType !== 'configuration') continue
    const config = toMembers(trigger.config)
    const id = toStringValue(config?.get('configuration_id'))
    const types = toItems(config?.get('event_types') ?? 'null')
    const wanted = (!id || id === entry.id) && (!types || types.includes(quote(`configuration:${type}`)))
    if (wanted) bus.fire(trigger, event)
  }
}
