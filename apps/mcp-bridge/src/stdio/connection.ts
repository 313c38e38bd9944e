import type { Principal } from '../auth/principal.ts'
import type { Changes } from '../changes/index.ts'
import { createNotificationOutbox } from '../changes/outbox.ts'
import type { McpServer, SessionRequest } from '../mcp/contract.ts'
import { toNoId } from '../mcp/era.ts'
import { cancelCall } from '../mcp/exchange.ts'
import { toLockedError } from '../mcp/locked-error.ts'
import { type Envelope, formatRpcError, RPC, RpcError, toRpcError } from '../mcp/rpc.ts'
import type { Callers, RpcRequest } from '../sessions/callers.ts'
import { type LiveSession, toLiveSession } from '../sessions/live.ts'
import { createQuestions } from '../sessions/questions.ts'
import { createSettings } from '../sessions/settings.ts'
import type { LineWriter } from './line-writer.ts'
import type { LostMessage } from './lost-message.ts'
import { createRequests } from './requests.ts'

export interface ClientConnectionOptions {
  readonly server: McpServer
  readonly callers: Callers
  /** Who the client is that started this process. */
  readonly principal: () => Principal
  /** Tells of changes to whoever watches. */
  readonly watch: Changes['watch']
  /** Why this server answers nothing for now; undefined while it serves. */
  readonly closed: () => string | undefined
  readonly writer: Pick<LineWriter, 'send'>
  readonly maxLineBytes: number
  /** Requests under way at once. @default 1024 */
  readonly atOnce?: number
}

/** One client that is there as long as this process. */
export interface ClientConnection {
  /** Takes in what the client has sent, in this order. */
  take(message: Envelope): void
  /** Something came that was too long to be read. */
  takeLost(message: LostMessage): void
  /** The client has closed its end: it wants to hear nothing more, unless it is a script that has said everything at once. */
  hangUp(): void
  /** Gives requests under way a moment, then gives them up. Resolves when each has its reply, or needs none. */
  close(graceMs: number): Promise<void>
}

type Notification = Extract<Envelope, { kind: 'notification' }>
type Response = Extract<Envelope, { kind: 'response' }>

/** There is one session at a time, and nobody else sees it. */
const HANDLE = 'stdio'

export function createConnection(options: ClientConnectionOptions): ClientConnection {
  const { server, callers, principal, watch, closed, writer, maxLineBytes, atOnce = 1_024 } = options
  const questions = createQuestions({ forward: async () => true })
  const requests = createRequests({ server, questions, writer })
  let session: LiveSession | undefined
  /** Who has begun it. */
  let opener: Principal | undefined
  /** The revision of the last request that named one. */
  let spoken: string | undefined
  let stopWatching: (() => void) | undefined
  let turn: Promise<void> = Promise.resolve()

  /** An `initialize` begins anew, whatever was before. */
  function open(asked: SessionRequest, principal: Principal): void {
    stopWatching?.()
    stopWatching = undefined
    opener = principal
    session = toSession(asked, requests.calls)
  }

  /** From now on the client takes notifications that no request of its own is about. */
  function startWatching({ state }: LiveSession): void {
    const outbox = createNotificationOutbox((method, params) =>
      writer.send(JSON.stringify({ jsonrpc: '2.0', method, params })),
    )
    const isSubscribed = (uri: string) => state.subscriptions.has(uri)
    const addresses = () => state.subscriptions
    const who = () => opener && { principal: opener, attached: true }
    stopWatching ??= watch({ who, wants: () => true, isSubscribed, addresses, tell: outbox.add })
  }

  function hear(notification: Notification): void {
    cancelCall(requests.calls, notification)
    if (notification.method === 'notifications/initialized' && session !== undefined) startWatching(session)
  }

  function hearAnswer({ id, result, error }: Pick<Response, 'id' | 'result' | 'error'>): void {
    if (typeof id === 'number') void questions.answer(HANDLE, { id, result, error, by: opener })
  }

  /** Finds out who asks, which must be known before the next message is looked at; the reply comes when it comes. */
  async function begin(request: RpcRequest): Promise<void> {
    const reason = closed()
    if (reason !== undefined) throw toLockedError(reason)
    if (requests.calls.size >= atOnce) {
      const problem = `Too many requests at once: this server takes ${atOnce}; try again in a second`
      throw new RpcError(RPC.overloaded, problem)
    }
    const from = { principal: principal(), headers: undefined, canStream: true, connected: session }
    const who = await callers.identify(request, from)
    if (who.opening !== undefined) open(who.opening, who.caller.principal)
    if (who.opening !== undefined || who.caller.era !== 'plain') spoken = who.caller.revision
    requests.run(request, who)
  }

  async function enter(message: Envelope): Promise<void> {
    if (message.kind === 'notification') return hear(message)
    if (message.kind === 'response') return hearAnswer(message)
    const refuse = (error: unknown) => void writer.send(formatRpcError(message.id ?? toNoId(spoken), toRpcError(error)))
    if (message.kind === 'invalid') return refuse(message.error)
    await begin(message).catch(refuse)
  }

  return {
    take(message) {
      requests.hear()
      turn = turn.then(() => enter(message))
    },
    takeLost({ id, isResponse }) {
      const message = `The message is too large: this server takes at most ${maxLineBytes} bytes in a line`
      const error = new RpcError(RPC.refused, message)
      if (isResponse && id !== undefined) hearAnswer({ id, result: undefined, error: { code: error.code, message } })
      else void writer.send(formatRpcError(id ?? toNoId(spoken), error))
    },
    hangUp() {
      stopWatching?.()
      requests.hangUp()
    },
    async close(graceMs) {
      stopWatching?.()
      await turn
      await requests.close(graceMs)
    },
  }
}

function toSession(asked: SessionRequest, calls: LiveSession['calls']): LiveSession {
  const facts = { handle: HANDLE, ...asked, mintedAt: Date.now() }
  return toLiveSession({ facts, owner: 'local', state: createSettings(HANDLE) }, calls)
}
