import { InvocationError } from '../engine/invocation-error.ts'
import { messageOf } from '../engine/message-of.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Worker } from '../worker/worker.ts'
import type { StoredValue } from './stored-reading.ts'

/** The settings of one worker as the engine's `configuration` worker keeps them. */
export interface StoredEntry {
  readonly id: string
  /** @returns undefined when there is no such entry. @throws StoreRefusal when the store cannot be had */
  read(): Promise<StoredValue | undefined>
  /**
   * Says what the settings look like. A value that is there stays.
   *
   * @param seed the value of a new entry; it would replace one that is there
   * @throws StoreRefusal
   */
  declare(seed: Record<string, unknown> | undefined): Promise<void>
}

/** The store cannot be had, or does not take something. */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal'
  /** Whether it is any use to ask again on this connection. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.isFinal = isFinal
  }
}

export interface EntryOptions {
  id: string
  /** Of the worker, as people read it. */
  name: string
  description: string
  /** Undefined where nothing may be stored. */
  schema: JsonSchema | undefined
}

const CALL_WITHIN_MS = 1000
/** No `configuration` worker, or a port that does not offer it, or an id that it does not take. */
const FINAL = new Set(['function_not_found', 'FORBIDDEN', 'INVALID_ID'])
/** The value is there, and the engine does not hand it out as it is: it does not fit, or lacks a variable. */
const WITHHELD = new Set(['SCHEMA_INVALID', 'EXPAND_FAILED'])

export function createEntry(worker: Pick<Worker, 'trigger'>, options: EntryOptions): StoredEntry {
  const { id, name, description, schema } = options
  const call = <Result>(operation: string, payload: Record<string, unknown>) =>
    worker.trigger<Result>({ function_id: `configuration::${operation}`, payload, timeoutMs: CALL_WITHIN_MS })
  const get = async (isRaw: boolean): Promise<StoredValue> => {
    const { value } = await call<{ value?: unknown }>('get', isRaw ? { id, raw: true } : { id })
    return { value, isRaw }
  }

  return {
    id,
    async read() {
      try {
        return await get(false).catch((error: unknown) => {
          if (WITHHELD.has(codeOf(error))) return get(true)
          throw error
        })
      } catch (error) {
        if (codeOf(error) === 'NOT_FOUND') return undefined
        throw toStoreRefusal(error)
      }
    },
    async declare(seed) {
      if (schema === undefined) return
      const value = seed === undefined ? {} : { initial_value: seed }
      await call('register', { id, name, description, schema, ...value }).catch((error: unknown) => {
        throw toStoreRefusal(error)
      })
    },
  }
}

function codeOf(error: unknown): string {
  return error instanceof InvocationError ? error.code : ''
}

/** @returns a StoreRefusal as it is */
export function toStoreRefusal(error: unknown): StoreRefusal {
  if (error instanceof StoreRefusal) return error
  return new StoreRefusal(messageOf(error), FINAL.has(codeOf(error)))
}
