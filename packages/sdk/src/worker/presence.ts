import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Logger } from '../log.ts'
import type { EngineConnection } from '../wire/connection.ts'
import type { RejectionFrame, ResultFrame } from '../wire/frames.ts'
import { formatPresentation } from './presentation.ts'

/**
 * What a process does about its name, which one worker of a namespace can have at a time where the engine minds. `first`: has it when it
 * is free, else one of its own made of it. `own`: always one of its own. `exact`: waits for it.
 */
export type Naming = 'first' | 'own' | 'exact'

/** A name that says nothing is that of every process with the same id on a host of the same name, as in containers. */
export function toIdentity({ name, naming = 'first' }: { name?: string | undefined; naming?: Naming | undefined }) {
  return name ? { name, naming } : { name: `${hostname()}:${process.pid}`, naming: 'own' as const }
}

/** Who this worker is on the engine. */
export interface Presence {
  /** The name under which the engine lists it. */
  readonly name: string
  /** The name that it goes by one of its own instead of, as long as it is any use to ask for it. */
  readonly wanted: string | undefined
  /** It goes by that from now on, once the engine is told. */
  rename(): void
  /** The message that says it on the connection that has just been greeted. */
  present(): string
  /** Reads an answer. @returns whether it was the one to that message, with which everything registered before is decided */
  onResult(frame: ResultFrame): void
  /** The engine closes the connection. */
  onRejected(frame: RejectionFrame): void
}

export interface PresenceOptions {
  name: string
  naming: Naming
  namespace: string | undefined
  version: string | undefined
  description: string | undefined
  instance: string
  log: Logger
  connection: Pick<EngineConnection, 'accept' | 'refuse'>
}

const MAX_NAME_LENGTH = 280

export function createPresence({ name, naming, instance, log, connection, ...rest }: PresenceOptions): Presence {
  const ownName = toOwnName(name, instance)
  let current = naming === 'own' ? ownName : name
  let asked: string | undefined
  /** A name that was lost again costs the connection each time. */
  let wasRenamed = false

  return {
    get name() {
      return current
    },
    get wanted() {
      return naming === 'first' && current === ownName && !wasRenamed ? name : undefined
    },
    rename() {
      current = name
      wasRenamed = true
      log.info(`nobody has the name '${name}' any more; this process is '${name}' from now on`)
    },
    present() {
      asked = randomUUID()
      return formatPresentation(asked, { name: current, ...rest })
    },
    onResult({ invocation_id: id, error }) {
      if (id !== asked) return
      asked = undefined
      if (!error) connection.accept()
      // What is registered by somebody who did not say who he is ends up in the namespace `default` after a while.
      else connection.refuse({ reason: `${error.message} (${error.code})`, pace: 'slowly' })
    },
    onRejected(frame) {
      const reason = explain(frame, current)
      const isTaken = frame.code === NAME_TAKEN && naming !== 'exact' && current !== ownName
      if (!isTaken) return connection.refuse({ reason, pace: 'later' })
      current = ownName
      const { owner_worker_id, namespace } = frame
      log.warn({ owner_worker_id, namespace }, `${reason}; this process is '${ownName}' from now on`)
      connection.refuse({ reason, pace: 'now', isTold: true })
    },
  }
}

const NAME_TAKEN = 'WORKER_NAMESPACE_CONFLICT'

function explain({ code, message, namespace, worker_name: name, owner_worker_id: owner }: RejectionFrame, own: string) {
  if (code !== NAME_TAKEN) return `${message ?? 'it does not say why'} (${code ?? 'no code'})`
  const where = namespace === undefined ? '' : ` in namespace '${namespace}'`
  return `another live worker${owner ? ` (id ${owner})` : ''} has the name '${name ?? own}'${where} already`
}

/** @example toOwnName('mcp', '5b1c9a70-…') // 'mcp-5b1c9a70' */
function toOwnName(name: string, instance: string): string {
  const suffix = `-${instance.slice(0, 8)}`
  return `${name.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`
}
