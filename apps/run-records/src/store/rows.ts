import { STATE_SCOPES, toScope } from '@iii/protocol'
import { InvocationError, type UpdateOp, type Worker } from '@iii/sdk'

type ScopeName = keyof typeof STATE_SCOPES.runs

/** The rows of engine state that are ours. What is read is unknown: anybody on the engine can write there. */
export interface Rows {
  get(scope: ScopeName, key: string): Promise<unknown>
  set(scope: ScopeName, key: string, value: unknown): Promise<void>
  /** @returns what was there */
  delete(scope: ScopeName, key: string): Promise<unknown>
  /** Applies the operations at once. @returns the row as it is then; operations that failed are left out of it */
  update(scope: ScopeName, key: string, ops: readonly UpdateOp[]): Promise<{ value: unknown; failed: number }>
}

/** Codes of calls that may have had their effect, although no answer came. */
const UNKNOWN_OUTCOME: ReadonlySet<string> = new Set(['TIMEOUT', 'connection_lost'])

/** @param timeoutMs is asked before each call: it can be set while we run */
export function createRows(worker: Pick<Worker, 'trigger' | 'namespace'>, timeoutMs: () => number): Rows {
  async function call<T>(name: string, scope: ScopeName, payload: object): Promise<T> {
    const request = {
      function_id: `state::${name}`,
      payload: { scope: toScope(STATE_SCOPES.runs[scope], worker.namespace), ...payload },
      timeoutMs: timeoutMs(),
    }
    try {
      return await worker.trigger<T>(request)
    } catch (error) {
      if (!(error instanceof InvocationError) || !UNKNOWN_OUTCOME.has(error.code)) throw error
      // Everything here may be done twice: what is counted up names a place that may stay empty.
      return await worker.trigger<T>(request)
    }
  }

  return {
    get: (scope, key) => call('get', scope, { key }),
    set: async (scope, key, value) => void (await call('set', scope, { key, value })),
    delete: (scope, key) => call('delete', scope, { key }),
    async update(scope, key, ops) {
      const { new_value: value, errors } = await call<{ new_value: unknown; errors?: unknown[] }>('update', scope, {
        key,
        ops,
      })
      return { value, failed: errors?.length ?? 0 }
    },
  }
}
