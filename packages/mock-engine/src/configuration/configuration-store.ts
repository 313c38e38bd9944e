import type { JsonText } from '../json/json-text.ts'
import { compareBytes } from '../json/json-text.ts'
import { checkSchema } from '../schema/check-schema.ts'
import { validate } from '../schema/validate.ts'
import { EngineError } from '../wire/engine-error.ts'
import { expand, type PlaceholderValues } from './placeholders.ts'

/** What is known about an id, its value aside. */
export interface ConfigurationView {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly schema: JsonText
  readonly metadata: JsonText | undefined
}

/** Settings that somebody declared, and their value as it was given. */
export interface ConfigurationEntry extends ConfigurationView {
  readonly value: JsonText
}

/** A change of an entry, values with their placeholders filled in. */
export interface ConfigurationChange {
  readonly type: 'registered' | 'updated'
  readonly entry: ConfigurationEntry
  readonly oldValue: JsonText
  readonly newValue: JsonText
}

/** Settings by id. Values are held against their schema when they come and when they go. */
export interface ConfigurationStore {
  /** The engine starts anew: values are there, and what they look like is not known until it is registered again. */
  forgetSchemas(): void
  /** Declares settings of the engine itself. @param read - gives the value until one is set. */
  declare(view: Omit<ConfigurationView, 'metadata'>, read: () => JsonText): void
  /** @throws EngineError `INVALID_ID`, `SCHEMA_INVALID` */
  register(view: ConfigurationView, initialValue: JsonText | undefined): ConfigurationChange
  /** @throws EngineError `INVALID_ID`, `NOT_REGISTERED`, `SCHEMA_UNAVAILABLE`, `SCHEMA_INVALID` */
  set(id: string, value: JsonText): ConfigurationChange & { readonly previous: JsonText }
  /** The value as it was given. @throws EngineError `NOT_FOUND` */
  raw(id: string): JsonText
  /** The value with its placeholders filled in. @throws EngineError `NOT_FOUND`, `EXPAND_FAILED`, `SCHEMA_INVALID` */
  get(id: string): JsonText
  /** @throws EngineError `NOT_FOUND` */
  view(id: string): ConfigurationView
  /** Every entry, by id. */
  list(): readonly ConfigurationView[]
}

export function createConfigurationStore(env: PlaceholderValues): ConfigurationStore {
  const entries = new Map<string, ConfigurationEntry>()
  const filled = (value: JsonText) => expand(value, env).value
  /** Nothing is said about a value that lacks something yet. */
  const holdNew = (schema: JsonText, given: JsonText) => {
    const { value, missing } = expand(given, env)
    if (missing.length === 0) hold(schema, value)
  }

  function find(id: string): ConfigurationEntry {
    const entry = entries.get(id)
    if (!entry) throw new EngineError('NOT_FOUND', `configuration '${id}' not found`)
    return entry
  }

  return {
    forgetSchemas() {
      for (const [id, { name, description, metadata, value }] of entries) {
        entries.set(id, { id, name, description, schema: 'null', metadata, value })
      }
    },
    declare(view, read) {
      entries.set(view.id, {
        ...view,
        metadata: undefined,
        get value() {
          return read()
        },
      })
    },
    register(view, initialValue) {
      requireId(view.id)
      if (initialValue !== undefined) holdNew(view.schema, initialValue)
      const old = entries.get(view.id)
      const oldValue = filled(old?.value ?? 'null')
      const entry = { ...view, value: initialValue ?? old?.value ?? 'null' }
      entries.set(view.id, entry)
      return { type: old ? 'updated' : 'registered', entry, oldValue, newValue: filled(entry.value) }
    },
    set(id, value) {
      requireId(id)
      const old = entries.get(id)
      if (!old) {
        const reason = `configuration '${id}' is not registered; call configuration::register first`
        throw new EngineError('NOT_REGISTERED', reason)
      }
      if (old.schema === 'null') throw unavailable(id)
      holdNew(old.schema, value)
      const previous = old.value
      const { name, description, schema, metadata } = old
      const entry = { id, name, description, schema, metadata, value }
      entries.set(id, entry)
      return { type: 'updated', entry, oldValue: filled(previous), newValue: filled(value), previous }
    },
    raw: (id) => find(id).value,
    get(id) {
      const { value, schema } = find(id)
      const expanded = expand(value, env)
      if (expanded.missing.length > 0) {
        const names = expanded.missing.join(', ')
        const reason = `configuration '${id}' references unset environment variable(s) with no default: ${names}`
        throw new EngineError('EXPAND_FAILED', reason)
      }
      if (schema !== 'null') hold(schema, expanded.value)
      return expanded.value
    },
    view: find,
    list: () => [...entries.values()].sort((a, b) => compareBytes(a.id, b.id)),
  }
}

function requireId(id: string): void {
  if (/^[a-z0-9_-]{1,64}$/.test(id)) return
  throw new EngineError('INVALID_ID', `invalid configuration id '${id}': must match [a-z0-9_-]{1,64}`)
}

function unavailable(id: string): EngineError {
  const reason = `configuration '${id}' has no schema available yet; the owning worker must register before values can be set`
  return new EngineError('SCHEMA_UNAVAILABLE', reason)
}

function hold(schema: JsonText, value: JsonText): void {
  const badSchema = checkSchema(schema)
  const problems = badSchema === undefined ? validate(schema, value) : [`invalid JSON Schema: ${badSchema}`]
  if (problems.length > 0) {
    throw new EngineError('SCHEMA_INVALID', `schema validation failed: ${problems.join('; ')}`)
  }
}
