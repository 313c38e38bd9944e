import type { Principal } from '../auth/principal.ts'
import type { McpCall, SessionState } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'

/** How many addresses each principal hears of: in all its sessions here, and in all requests of it that listen. */
export interface SubscriptionShare {
  /** Is there room for one more in a session? @throws RpcError where there is none */
  requireRoom(uri: string, session: SessionState, call: Pick<McpCall, 'principal' | 'attached'>): void
  /** @returns how to give them back @throws RpcError where they are too many */
  take(count: number, principal: Principal): () => void
}

export interface SubscriptionShareOptions {
  readonly limitOf: (principal: Principal) => number
  /** The sessions of a principal that live here, also those that another bridge began. */
  readonly sessionsOf: (principal: Principal) => Iterable<Pick<SessionState, 'subscriptions'>>
}

export function createSubscriptionShare({ limitOf, sessionsOf }: SubscriptionShareOptions): SubscriptionShare {
  /** By the id of the principal. */
  const listening = new Map<string, number>()
  /** Of the client that started this process, which has no session with an id. */
  let own: { readonly id: string; readonly state: SessionState } | undefined

  function refuse(principal: Principal, more: number, limit: number): void {
    let count = (listening.get(principal.id) ?? 0) + more
    if (own?.id === principal.id) count += own.state.subscriptions.size
    for (const { subscriptions } of sessionsOf(principal)) count += subscriptions.size
    if (count <= limit) return
    const problem = `Too many subscriptions: this caller may have ${limit} in all; unsubscribe from some`
    throw new RpcError(RPC.refused, problem)
  }

  function listen({ id }: Principal, more: number): void {
    const count = (listening.get(id) ?? 0) + more
    if (count > 0) listening.set(id, count)
    else listening.delete(id)
  }

  return {
    requireRoom(uri, session, { principal, attached }) {
      const limit = limitOf(principal)
      if (limit === Number.POSITIVE_INFINITY || session.subscriptions.has(uri)) return
      if (attached) own = { id: principal.id, state: session }
      refuse(principal, 1, limit)
    },
    take(count, principal) {
      const limit = limitOf(principal)
      if (limit === Number.POSITIVE_INFINITY) return () => undefined
      refuse(principal, count, limit)
      listen(principal, count)
      return () => listen(principal, -count)
    },
  }
}
