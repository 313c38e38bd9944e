import type { Trace } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { McpCall, Share } from '../mcp/call.ts'
import type { McpServer, SessionRequest } from '../mcp/contract.ts'
import { type Headers, headerRevision, readClaim, STATELESS_REVISION } from '../mcp/era.ts'
import { type Envelope, RPC, RpcError } from '../mcp/rpc.ts'
import type { LiveSession, Sessions } from './index.ts'

export type RpcRequest = Extract<Envelope, { kind: 'request' }>

/** A call without the way back to whoever made it, which only the carrier knows. */
export type CallOrigin = Omit<McpCall, 'signal' | 'reach'>

/** Finds out who sent a request. */
export interface Callers {
  /**
   * A claim in the body counts before a session: it says all by itself.
   *
   * @throws RpcError for a claim that cannot be served and for a session that is not there
   */
  identify(request: RpcRequest, from: Sender): Promise<Identified>
  /** @throws RpcError `sessionNotFound` for an id that is forged, ended, expired or somebody else's */
  session(headers: Headers | undefined, principal: Principal): Promise<LiveSession | undefined>
}

/** What a carrier knows of whoever sent a request. */
export interface Sender {
  readonly principal: Principal
  /** Undefined where the message did not come over HTTP. */
  readonly headers: Headers | undefined
  /** Whether the reply may be as late as a stream may. */
  readonly canStream: boolean
  /** The trace context that the engine brought the message in. */
  readonly trace?: Trace | undefined
  /** The session of the connection that it came by, where sessions are not named in headers. */
  readonly connected?: LiveSession | undefined
}

/** Who asks, and the session that they ask in. */
export interface Identified {
  readonly caller: CallOrigin
  readonly live: LiveSession | undefined
  /** The session that the request opens, for the one that does. */
  readonly opening: SessionRequest | undefined
}

type Who = Pick<McpCall, 'era' | 'revision' | 'client' | 'capabilities'> & {
  readonly live?: LiveSession
  readonly opening?: SessionRequest
}

export interface CallersOptions {
  readonly server: McpServer
  readonly sessions: Sessions
  /** Are the callers the client that started this process? @default false */
  readonly attached?: boolean
  /** How long a plain reply may take. */
  readonly deadline: { readonly timeoutMs: number }
  readonly limits: {
    readonly replyBytes: number
    /** How long one may take that becomes a stream. */
    readonly streamMs: number
  }
}

export function createCallers({ server, sessions, attached = false, deadline, limits }: CallersOptions): Callers {
  async function session(headers: Headers | undefined, principal: Principal): Promise<LiveSession | undefined> {
    const id = headers?.['mcp-session-id']
    if (!id) return undefined
    const known = await sessions.enter(id, principal)
    if (known === undefined) throw notFound()
    return known
  }

  function who(request: RpcRequest, { principal, headers, connected }: Sender): Who | Promise<Who> {
    const { method, params } = request
    const opening = server.sessionRequest(method, params)
    const facts = { nameParam: server.nameParam(method), opensSession: opening !== undefined }
    const claim = readClaim({ method, params, ...facts }, headers)
    if (claim !== undefined) {
      return { era: 'stateless', revision: STATELESS_REVISION, client: claim.client, capabilities: claim.capabilities }
    }
    if (opening !== undefined) return { era: 'plain', ...opening, opening }
    const revision = headerRevision(headers)
    if (connected !== undefined) return toInSession(connected)
    return session(headers, principal).then((live) =>
      live === undefined ? { era: 'plain', revision, client: undefined, capabilities: {} } : toInSession(live),
    )
  }

  return {
    session,
    async identify(request, from) {
      const { principal, headers, canStream, trace } = from
      const known = who(request, from)
      const { live, opening, era, revision, client, capabilities } = known instanceof Promise ? await known : known
      const plainMs = deadline.timeoutMs
      const caller: CallOrigin = {
        id: request.id,
        era,
        revision,
        client,
        capabilities,
        principal,
        limits: { timeoutMs: canStream ? limits.streamMs : plainMs, plainMs, replyBytes: limits.replyBytes },
        attached,
        share: toShare(attached, live),
        session: live?.state,
        traceparent: headers === undefined ? trace?.traceparent : headers['traceparent'],
        carried: trace,
        paramHeader: headers && ((name: string) => headers[`mcp-param-${name.toLowerCase()}`]),
      }
      return { caller, live, opening }
    },
  }
}

function toInSession(live: LiveSession): Who {
  const { revision, client, capabilities } = live.facts
  return { era: 'session', revision, client, capabilities, live }
}

function notFound(): RpcError {
  return new RpcError(RPC.sessionNotFound, 'Session not found: initialize again')
}

/**
 * A session may end between the moment in which it is found and the one in which something begins in it.
 *
 * @throws RpcError `sessionNotFound` where it has
 */
export function requireNotOver(live: LiveSession | undefined): void {
  if (live?.isOver === true) throw notFound()
}

function toShare(attached: boolean, live: LiveSession | undefined): Share {
  if (attached) return { kind: 'attached' }
  if (live === undefined) return { kind: 'sessionless' }
  return { kind: 'session', handle: live.facts.handle, hasFinishedARequest: () => live.hasFinishedARequest }
}
