import type { McpCall } from './call.ts'
import { headerRevision, readClaim, STATELESS_REVISION } from './era.ts'
import { type Envelope, RPC, RpcError } from './rpc.ts'
import type { McpServer } from './server.ts'
import type { Sessions } from './sessions/index.ts'
import type { Session } from './sessions/token.ts'

export type Headers = Readonly<Record<string, string | undefined>>
export type RpcRequest = Extract<Envelope, { kind: 'request' }>

/** A call without the way back to whoever made it, which only the carrier knows. */
export type Caller = Omit<McpCall, 'signal' | 'reach'>

/** Finds out who sent a request. */
export interface Callers {
  /**
   * A claim in the body counts before a session: it says all by itself.
   *
   * @param headers undefined where the message did not come over HTTP
   * @throws RpcError for a claim that cannot be served and for a session that is not there
   */
  identify(request: RpcRequest, headers: Headers | undefined): Promise<Caller>
  /** @throws RpcError `sessionNotFound` for an id that is forged, ended or expired */
  session(headers: Headers | undefined): Promise<Session | undefined>
}

export interface CallersOptions {
  readonly server: McpServer
  readonly sessions: Sessions
  readonly limits: { readonly replyBytes: number; readonly timeoutMs: () => number }
}

export function createCallers({ server, sessions, limits }: CallersOptions): Callers {
  async function session(headers: Headers | undefined): Promise<Session | undefined> {
    const id = headers?.['mcp-session-id']
    if (!id) return undefined
    const known = await sessions.read(id)
    if (known === undefined) throw new RpcError(RPC.sessionNotFound, 'Session not found: initialize again')
    return known
  }

  async function who(
    request: RpcRequest,
    headers: Headers | undefined,
  ): Promise<Pick<McpCall, 'era' | 'revision' | 'client' | 'capabilities'>> {
    const { method, params } = request
    const opening = server.sessionRequest(method, params)
    const facts = { nameParam: server.nameParam(method), opensSession: opening !== undefined }
    const claim = readClaim({ method, params, ...facts }, headers)
    if (claim !== undefined) return { era: 'stateless', revision: STATELESS_REVISION, ...claim }
    if (opening !== undefined) return { era: 'plain', ...opening }
    const revision = headerRevision(headers)
    const known = await session(headers)
    if (known === undefined) return { era: 'plain', revision, client: undefined, capabilities: {} }
    return { era: 'session', revision: known.revision, client: known.client, capabilities: known.capabilities }
  }

  return {
    session,
    async identify(request, headers) {
      const { era, revision, client, capabilities } = await who(request, headers)
      const plainMs = limits.timeoutMs()
      return {
        era,
        revision,
        client,
        capabilities,
        limits: { timeoutMs: plainMs, plainMs, replyBytes: limits.replyBytes },
        session: undefined,
        paramHeader: headers && ((name) => headers[`mcp-param-${name.toLowerCase()}`]),
      }
    },
  }
}
