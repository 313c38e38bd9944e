import { Fault, STATE_SCOPES, toScope } from '@iii/protocol'
import type { UpdateOp, Worker } from '@iii/sdk'
import { type LockRow, parseLockRow } from './lock-row.ts'

/** The rows of locks, and what else a lock asks an engine. */
export interface LockStore {
  /** Undefined for a row that no lock can be. */
  read(name: string): Promise<LockRow | undefined>
  /** Applies all of it at once and returns the row as it is then. @throws what the store said; the outcome may be unknown then */
  update(name: string, ops: readonly UpdateOp[]): Promise<LockRow | undefined>
  /** Makes the row an empty one, whatever it was. */
  clear(name: string): Promise<void>
  /** Whether that function is on the engine. */
  hasFunction(id: string): Promise<boolean>
  /** Another one after each reconnect; undefined while there is no connection. */
  readonly connection: string | undefined
}

export function createLockStore(
  worker: Pick<Worker, 'trigger' | 'workerId' | 'namespace'>,
  timeoutMs: number,
): LockStore {
  const call = <T>(name: string, payload: object): Promise<T> =>
    worker.trigger<T>({ function_id: name, payload, timeoutMs })
  const scope = toScope(STATE_SCOPES.runs.locks, worker.namespace)
  const address = (name: string) => ({ scope, key: name })

  return {
    get connection() {
      return worker.workerId
    },
    read: async (name) => parseLockRow(await call('state::get', address(name))),
    async update(name, ops) {
      const { new_value, errors = [] } = await call<{ new_value: unknown; errors?: unknown[] }>('state::update', {
        ...address(name),
        ops,
      })
      return errors.length > 0 ? undefined : parseLockRow(new_value)
    },
    clear: async (name) => void (await call('state::set', { ...address(name), value: {} })),
    async hasFunction(id) {
      const { functions } = await call<{ functions: { error?: string }[] }>('engine::functions::info', {
        function_ids: [id],
      })
      return functions.some(({ error }) => error === undefined)
    },
  }
}

/** @throws Fault `unavailable` for a row that no lock can be */
export function requireRow(row: LockRow | undefined, name: string): LockRow {
  if (row !== undefined) return row
  const text = `The row of lock '${name}' was written by somebody else: remove it with \`iii-runs unlock ${name}\``
  throw new Fault('unavailable', text)
}
