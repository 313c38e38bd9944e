import type { Logger } from '../log.ts'
import type { Registrations } from '../ownership/ownership.ts'
import { createFunctionTable, type FunctionTable } from './function-table.ts'
import { createTriggerTypeTable, type TriggerTypeTable } from './trigger-types.ts'
import { createTriggerTable, type TriggerTable } from './triggers.ts'

/** All that a worker has registered, which the engine must learn again on each connection. */
export interface Tables {
  readonly functions: FunctionTable
  readonly triggers: TriggerTable
  readonly types: TriggerTypeTable
  /** Says everything that is not held back. */
  sendAll(): void
  /** What the watch over whose they are knows of them. */
  readonly registrations: Registrations
}

export interface TablesOptions {
  instance: string
  log: Logger
  /** Hands a frame to the engine, if the connection is (still) the given one. */
  send(text: string, epoch?: number): void
  /** Is everything held back that another worker may have, too? */
  defers(): boolean
  /** Whether a function may be said once more: nobody else has it. */
  mayRepeat(id: string): boolean
  /** Resolves when the engine has handled what was sent. */
  ready(): Promise<void>
}

export function createTables({ instance, log, send, defers, mayRepeat, ready }: TablesOptions): Tables {
  const isHeld = (functionId: string) => defers() && !functionId.includes(instance)
  const functions = createFunctionTable({ instance, send, isHeld, mayRepeat })
  const triggers = createTriggerTable({ instance, log, send, isHeld })
  const types = createTriggerTypeTable(send, defers)
  return {
    functions,
    triggers,
    types,
    sendAll() {
      for (const table of [types, functions, triggers]) for (const frame of table.frames()) send(frame)
    },
    registrations: {
      ...functions.known,
      routes: triggers.routes,
      repeatFunctions: functions.repeat,
      repeatRoutes: triggers.repeat,
      repeatTypes() {
        types.repeat()
        ready().then(types.onRepeated, () => undefined)
      },
    },
  }
}
