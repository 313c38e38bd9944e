import { createSelfRequests, type SelfRequests } from '../http/self-requests.ts'
import type { WantedName } from '../ownership/plain-name-return.ts'
import { type Caller, createCaller } from '../wire/caller.ts'
import { CONNECTION_TIMINGS, type ConnectionState, EngineConnection } from '../wire/connection.ts'
import { createOutbox, OUTBOX_LIMITS } from '../wire/outbox.ts'
import { createReadiness, type Readiness } from '../wire/readiness.ts'
import { createReplies, createReplyGate, type Replies } from '../wire/replies.ts'
import { toDeafness } from './deafness.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import { createPresence, type Presence, toIdentity } from './presence.ts'
import { createReceiver } from './receiver.ts'
import { createTables, type Tables, type TablesOptions } from './tables.ts'
import type { RegisterWorkerOptions } from './worker.ts'

const CALL_TIMEOUT_MS = 30_000
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

/** The parts of a worker, each connected to those that it needs. */
export interface Wiring {
  readonly connection: EngineConnection
  readonly presence: Presence
  readonly caller: Caller
  readonly tables: Tables
  readonly dispatch: Dispatch
  readonly readiness: Readiness
  readonly selfRequests: SelfRequests
  /** The name that another worker had when this one came. */
  readonly wantedName: WantedName
  /** Sends every reply that waits, now. */
  flush(): void
}

export interface WiringOptions
  extends Pick<TablesOptions, 'defers' | 'mayRepeat' | 'onRefused' | 'instance' | 'log' | 'namespace'> {
  url: string
  signal: AbortSignal
  onState(state: ConnectionState): void
}

export function createWiring(options: RegisterWorkerOptions, wired: WiringOptions): Wiring {
  const { instance, log, signal } = wired
  const connection = createConnection(options, wired, {
    /** In this order every function is ours or refused when the answer comes. */
    onGreeted() {
      tables.sendFunctions()
      connection.send(presence.present())
      readiness.onGreeted()
    },
    /** The engine handles these in order, so whatever is called afterwards finds everything registered. */
    onUp() {
      tables.sendRest()
      caller.onUp()
      readiness.onUp()
    },
    onDown(reason) {
      readiness.onDown()
      caller.onDown(reason)
    },
    onMessage: (data) => receive(data),
    expectation() {
      if (caller.pending > 0 || dispatch.running > 1) return 'more'
      return dispatch.running === 1 ? 'after-reply' : 'nothing'
    },
  })
  const send = (text: string, epoch = connection.epoch) => {
    if (connection.isOpen && epoch === connection.epoch) connection.send(text)
  }
  const isUp = () => connection.state === 'connected'
  const { version, description } = options
  const presence = createPresence({
    ...{ ...toIdentity(options), namespace: wired.namespace, version, description },
    ...{ instance, log, connection },
  })
  const caller = createCaller({
    connection,
    outbox: createOutbox({ ...OUTBOX_LIMITS, ...options.queue }),
    timeoutMs: options.callTimeoutMs ?? CALL_TIMEOUT_MS,
    namespace: wired.namespace,
  })
  const { replies, flush } = createReplyPath(connection)
  const presentAgain = () => send(presence.present())
  const tables = createTables({ ...wired, send, isUp, presentAgain, ready: () => readiness.wait(undefined) })
  const selfRequests = createSelfRequests()
  const dispatch = createDispatch({
    ...{ functions: tables.functions.all, replies, instance, selfRequests, signal, log },
    followsTraces: options.followsTraces !== false,
  })
  const readiness: Readiness = createReadiness({
    ping() {
      if (!isUp()) return false
      tables.onAsked()
      send('{"type":"ping"}')
      return true
    },
    onHandled: tables.onAnswered,
    problem: () => connection.problem,
    deafness: {
      ...toDeafness(log, tables.triggers.routes),
      ...options.timings,
      drop: () => connection.drop('the engine read nothing of what this worker sent'),
      watchLeaving() {
        const traffic = connection.watchTraffic()
        return () => traffic().hasLeft
      },
    },
  })
  const epoch = () => connection.epoch
  const receive = createReceiver({ ...wired, ...tables, dispatch, caller, readiness, presence, send, epoch })
  const wantedName = createWantedName(presence, presentAgain)
  return { connection, presence, caller, tables, dispatch, readiness, selfRequests, wantedName, flush }
}

function createWantedName(presence: Presence, presentAgain: () => void): WantedName {
  return {
    get wanted() {
      return presence.wanted
    },
    takeBack() {
      presence.rename()
      presentAgain()
    },
  }
}

type Events = Pick<
  ConstructorParameters<typeof EngineConnection>[0],
  'onGreeted' | 'onUp' | 'onDown' | 'onMessage' | 'expectation'
>

function createConnection(options: RegisterWorkerOptions, wired: WiringOptions, events: Events): EngineConnection {
  return new EngineConnection({
    ...wired,
    ...events,
    headers: options.headers ?? {},
    reattach: options.reattach,
    maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    timings: { ...CONNECTION_TIMINGS, ...options.timings },
  })
}

function createReplyPath(connection: EngineConnection): { replies: Replies; flush(): void } {
  const gate = createReplyGate({
    bufferedBytes: () => connection.bufferedBytes,
    epoch: () => (connection.isOpen ? connection.epoch : undefined),
    send: (messages) => connection.sendTogether(messages),
    onStuck: () => connection.drop('the engine does not read our replies'),
  })
  const replies = createReplies(gate)
  return {
    replies,
    flush() {
      replies.flush()
      gate.flush()
    },
  }
}
