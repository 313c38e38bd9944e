import type { Logger } from '../log.ts'
import type { Registrations } from '../ownership/ownership.ts'
import { formatFrame } from '../wire/frames.ts'
import { createClaims } from './claims.ts'
import { createFunctionTable, type FunctionTable } from './function-table.ts'
import { createTriggerTypeTable, type TriggerTypeTable } from './trigger-types.ts'
import { createTriggerTable, type TriggerTable } from './triggers.ts'
import { createWithheld } from './withheld.ts'

/** Everything that a worker has registered, which the engine must learn again on each connection. */
export interface Tables {
  readonly functions: FunctionTable
  readonly triggers: TriggerTable
  readonly types: TriggerTypeTable
  /** Says the functions that are not held back, on a new connection. */
  sendFunctions(): void
  /** Says what is built on them, when the engine has said which of them are ours. */
  sendRest(): void
  /** The engine refused a function: another worker has it already. */
  onTaken(id: string, ownerWorkerId: string | undefined): void
  onAsked(): void
  /** It has answered the oldest question. @returns whether more was sent because of that */
  onAnswered(): boolean
  /** What the watch over whose they are knows of them. */
  readonly registrations: Registrations
}

export interface TablesOptions {
  instance: string
  /** Where functions are that triggers call; undefined for `default`. */
  namespace: string | undefined
  log: Logger
  /** Hands a frame to the engine, if the connection is (still) the given one. */
  send(text: string, epoch?: number): void
  /** Does the engine know who we are? Nothing but functions is said before. */
  isUp(): boolean
  /** Is everything held back that another worker may have, too? */
  defers(): boolean
  /** Whether a function may be said once more: nobody else has it. */
  mayRepeat(id: string): boolean
  /** Resolves when the engine has handled what was sent. */
  ready(): Promise<void>
  /** Says once more who this worker is, which everybody hears who watches workers. */
  presentAgain(): void
  /** Another worker has a function of ours already that is of one worker. */
  onRefused(id: string, ownerWorkerId: string | undefined): void
}

export function createTables(options: TablesOptions): Tables {
  const { instance, namespace, log, isUp, defers, mayRepeat, ready } = options
  const claims = createClaims()
  const isHeld = (functionId: string) => defers() && !functionId.includes(instance)
  const remark = (id: string, text: string) => log.warn({ function_id: id }, text)
  const functions = createFunctionTable({ instance, claims, send: options.send, isHeld, mayRepeat, remark })
  const send: TablesOptions['send'] = (text, epoch) => {
    if (isUp()) options.send(text, epoch)
  }
  const withheld = createWithheld(send, () => void ready().catch(() => undefined))
  /** Nobody else can have it, or it makes no difference. */
  const isOwn = (id: string) => id.includes(instance) || functions.all.get(id)?.isShared === true
  const mayBind = (id: string, isRoute: boolean) =>
    isOwn(id) || (isRoute ? claims.isSettled(id) : !claims.isRefused(id))
  const mayProvide = () => claims.allSettled((id) => functions.all.has(id) && !isOwn(id))
  const triggers = createTriggerTable({ instance, namespace, log, send, isHeld, mayBind, withheld })
  const types = createTriggerTypeTable({ send, isHeld: defers, mayProvide, withheld })
  return {
    functions,
    triggers,
    types,
    sendFunctions() {
      claims.reset()
      withheld.clear()
      for (const frame of functions.frames()) options.send(frame)
    },
    sendRest() {
      types.sendAll()
      triggers.sendAll()
    },
    onTaken(id, owner) {
      claims.refused(id)
      if (functions.all.has(id) && !isOwn(id)) options.onRefused(id, owner)
    },
    onAsked: claims.onAsked,
    onAnswered() {
      claims.onAnswered()
      return withheld.release()
    },
    registrations: {
      ...functions.known,
      isRefused: claims.isRefused,
      giveUp(ids) {
        for (const id of ids) claims.refused(id)
        triggers.withdraw(ids)
        for (const id of ids) send(formatFrame({ type: 'unregisterfunction', id }))
        options.presentAgain()
      },
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
