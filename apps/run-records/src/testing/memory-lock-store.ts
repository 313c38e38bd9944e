import { InvocationError, type UpdateOp } from '@iii/sdk'
import { parseLockRow } from '../lock/lock-row.ts'
import type { LockStore } from '../lock/lock-store.ts'

/** The rows that all contenders of a test share. */
export interface SharedLocks {
  rows: Map<string, Record<string, unknown>>
  /** Functions that are on the engine. */
  functions: Set<string>
  /** The store as one process sees it. */
  open(hooks?: Hooks): LockStore & { connection: string | undefined }
}

interface Hooks {
  /** Before and after each call reaches the rows; whoever waits here lets others go first. */
  step?: (() => Promise<unknown>) | undefined
  /** Whether the answer of a call is lost although it has counted. */
  losesAnswer?: ((call: string) => boolean) | undefined
}

export function createSharedLocks(): SharedLocks {
  const rows = new Map<string, Record<string, unknown>>()
  const functions = new Set<string>()

  return {
    rows,
    functions,
    open({ step = async () => undefined, losesAnswer = () => false } = {}) {
      async function call<T>(name: string, work: () => T): Promise<T> {
        await step()
        const result = work()
        await step()
        if (losesAnswer(name)) throw new InvocationError('TIMEOUT', 'no answer', name)
        return result
      }
      return {
        connection: 'c1',
        read: (name) => call('read', () => parseLockRow(structuredClone(rows.get(name)))),
        update: (name, ops) =>
          call('update', () => {
            const row = structuredClone(rows.get(name) ?? {})
            for (const op of ops) apply(row, op)
            rows.set(name, row)
            return parseLockRow(structuredClone(row))
          }),
        clear: (name) => call('clear', () => void rows.set(name, {})),
        hasFunction: (id) => call('info', () => functions.has(id)),
      }
    },
  }
}

/** What the engine makes of the operations that a lock uses. */
function apply(row: Record<string, unknown>, op: UpdateOp): void {
  const path = String(op.path)
  if (op.type === 'set') row[path] = op.value
  else if (op.type === 'remove') delete row[path]
  else if (op.type === 'append') row[path] = [...((row[path] as unknown[] | undefined) ?? []), op.value]
  else if (op.type === 'increment') row[path] = Number(row[path] ?? 0) + op.by
  else throw new Error(`locks use no ${op.type}`)
}
