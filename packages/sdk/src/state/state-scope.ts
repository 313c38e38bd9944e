import { Fault, isRecord } from '@iii/protocol'
import type { z } from 'zod'
import { formatIssues } from '../schema/issue-text.ts'
import type { Zod3Type } from '../schema/json-schema.ts'
import { type NamesOf, refuseMistyped, requireMs } from '../suggestions/mistyped.ts'
import type { Worker } from '../worker/worker.ts'
import { requireKey, requireOps, requireValue } from './state-input.ts'
import { createTurns, currentTurnSignal, type InTurn } from './turns.ts'

/** One change to a stored value; the engine applies a list of them in order, atomically for the key. */
export type UpdateOp =
  | { type: 'set'; path: string; value: unknown }
  | { type: 'merge'; path?: string | string[]; value: Record<string, unknown> }
  | { type: 'increment' | 'decrement'; path: string; by: number }
  | { type: 'append'; path?: string | string[]; value: unknown }
  | { type: 'remove'; path: string }

/** What an update did. Operations that failed are listed and were skipped; the others took effect. */
export interface UpdateResult<T> {
  oldValue: T | undefined
  newValue: T | undefined
  errors: readonly { op_index: number; code: string; message: string }[]
}

export interface StateScopeOptions<T> {
  /** Checks what is read; without it values are what the store holds. */
  schema?: z.ZodType<T> | Zod3Type<T> | undefined
  /** Deadline of each call. @default the worker's `callTimeoutMs` */
  timeoutMs?: number | undefined
  /** Told of a stored value that does not fit the schema and was left out of a list. */
  onMalformed?: ((value: unknown, reason: string) => void) | undefined
}

const OPTIONS: NamesOf<StateScopeOptions<unknown>> = { schema: true, timeoutMs: true, onMalformed: true }

/**
 * One scope of the engine's key-value store. A stored `null` reads as absent. Each method rejects with Fault `invalid_input` for a key that
 * is no text, and for a value or operations that cannot be stored.
 */
export interface StateScope<T> {
  /** @throws Fault `internal` when the stored value does not fit the schema. */
  get(key: string): Promise<T | undefined>
  /** Returns what was there before; undefined also for something that did not fit the schema. */
  set(key: string, value: T): Promise<T | undefined>
  /** Returns what was there. */
  delete(key: string): Promise<T | undefined>
  /** Values only: the store does not tell keys. What does not fit the schema is left out. */
  list(): Promise<T[]>
  update(key: string, ops: readonly UpdateOp[]): Promise<UpdateResult<T>>
  /**
   * Does work on a key while nobody else does, in this process or any other on the same store: what is read in there is still true when it is
   * written back. Only `inTurn` is waited for: a `set` without it goes through. Calls of this scope that the work makes after its turn was
   * over are refused. The key need not have a row.
   *
   * @throws what the work throws; Fault `overloaded` when its turn did not come, `deadline` when the work took too long, `internal` within
   *   a turn on the same key.
   *
   * @example
   * await loans.inTurn(book, async () => {
   *   if ((await loans.get(book)) !== undefined) throw new Fault('conflict', 'It is lent already')
   *   await loans.set(book, { to: 'Ada' })
   * })
   */
  inTurn: InTurn
}

/**
 * A typed view of one scope of `iii-state`. Every method rejects with the InvocationError of the state function, whose
 * code is `function_not_found` when the engine runs without a store.
 *
 * @throws Fault `invalid_input` without a worker or the name of a scope, and for an option that was mistyped or is of a wrong kind.
 *
 * @example
 * const orders = createStateScope(worker, 'orders', { schema: Order })
 * await orders.set('o-1', order)
 */
export function createStateScope<T = unknown>(
  worker: Pick<Worker, 'trigger'>,
  scope: string,
  options: StateScopeOptions<T> = {},
): StateScope<T> {
  requireScope(worker, scope, options)
  const { schema, timeoutMs } = options

  function call<Result>(name: string, payload: object): Promise<Result> {
    const signal = currentTurnSignal()
    if (signal?.aborted) return Promise.reject(signal.reason)
    return worker.trigger<Result>({ function_id: `state::${name}`, payload: { scope, ...payload }, timeoutMs, signal })
  }

  /** Of the rows that say whose turn it is, which are no values of this scope. */
  function callOfTurns(name: string, payload: object, limitMs = timeoutMs): Promise<unknown> {
    const all = { scope: `${scope}::turns`, ...payload }
    return worker.trigger({ function_id: `state::${name}`, payload: all, timeoutMs: limitMs })
  }

  function read(value: unknown): { value: T | undefined; problem: string | undefined } {
    if (value === null || value === undefined) return { value: undefined, problem: undefined }
    if (schema === undefined) return { value: value as T, problem: undefined }
    const parsed = schema.safeParse(value)
    if (parsed.success) return { value: parsed.data, problem: undefined }
    return { value: undefined, problem: formatIssues(parsed.error.issues, 'value') }
  }

  return {
    async get(key) {
      requireKey(scope, key)
      const { value, problem } = read(await call('get', { key }))
      if (problem === undefined) return value
      throw new Fault('internal', `The stored value '${key}' in scope '${scope}' does not fit: ${problem}`)
    },
    async set(key, value) {
      requireKey(scope, key)
      requireValue(scope, key, value)
      const result = await call<{ old_value?: unknown }>('set', { key, value })
      return read(result?.old_value).value
    },
    async delete(key) {
      requireKey(scope, key)
      return read(await call('delete', { key })).value
    },
    async list() {
      const rows = await call<unknown>('list', {})
      if (!Array.isArray(rows)) throw new Fault('internal', `state::list of scope '${scope}' answered no list of rows`)
      const values: T[] = []
      for (const row of rows) {
        const { value, problem } = read(row)
        if (value !== undefined) values.push(value)
        if (problem !== undefined) options.onMalformed?.(row, problem)
      }
      return values
    },
    async update(key, ops) {
      requireKey(scope, key)
      requireOps(scope, key, ops)
      const result = await call<{ old_value?: unknown; new_value?: unknown; errors?: UpdateResult<T>['errors'] }>(
        'update',
        { key, ops },
      )
      return {
        oldValue: read(result.old_value).value,
        newValue: read(result.new_value).value,
        errors: result.errors ?? [],
      }
    },
    inTurn: createTurns(scope, callOfTurns),
  }
}

function requireScope(
  worker: unknown,
  scope: unknown,
  options: object & { schema?: unknown; timeoutMs?: unknown },
): void {
  const isCaller = isRecord(worker) && typeof worker['trigger'] === 'function'
  if (!isCaller || typeof scope !== 'string' || scope === '') {
    throw new Fault(
      'invalid_input',
      "createStateScope takes the worker and the name of a scope: (worker, 'orders', options)",
    )
  }
  const what = `The scope '${scope}'`
  refuseMistyped(what, options, OPTIONS)
  requireMs(what, options, ['timeoutMs'])
  if (options.schema === undefined || typeof Object(options.schema).safeParse === 'function') return
  throw new Fault('invalid_input', `${what} takes a zod type as schema; a JSON Schema cannot check what is read`)
}
