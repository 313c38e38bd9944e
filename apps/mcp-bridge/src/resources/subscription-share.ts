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
  /** Does a session still live here? */
  readonly isLive: (handle: string) => boolean
}

interface Held {
  /** By their handles; `isKept`: it is the one of the client that started this process. */
  readonly sessions: Map<string, { readonly state: SessionState; readonly isKept: boolean }>
  listening: number
}

export function createSubscriptionShare({ limitOf, isLive }: SubscriptionShareOptions): SubscriptionShare {
  const all = new Map<string, Held>()

  function sweep(): void {
    for (const [id, held] of all) {
      forgetSessions(held)
      if (held.sessions.size === 0 && held.listening === 0) all.delete(id)
    }
  }

  function forgetSessions({ sessions }: Held): void {
    for (const [handle, { isKept }] of sessions) if (!isKept && !isLive(handle)) sessions.delete(handle)
  }

  function find({ id }: Principal): Held {
    sweep()
    const held = all.get(id) ?? { sessions: new Map(), listening: 0 }
    all.set(id, held)
    return held
  }

  function refuse({ sessions, listening }: Held, more: number, limit: number): void {
    let count = listening + more
    for (const { state } of sessions.values()) count += state.subscriptions.size
    if (count <= limit) return
    const problem = `Too many subscriptions: this caller may have ${limit} in all; unsubscribe from some`
    throw new RpcError(RPC.refused, problem)
  }

  return {
    requireRoom(uri, session, { principal, attached }) {
      const limit = limitOf(principal)
      if (limit === Number.POSITIVE_INFINITY || session.subscriptions.has(uri)) return
      const held = find(principal)
      held.sessions.set(session.handle, { state: session, isKept: attached })
      refuse(held, 1, limit)
    },
    take(count, principal) {
      const limit = limitOf(principal)
      if (limit === Number.POSITIVE_INFINITY) return () => undefined
      const held = find(principal)
      refuse(held, count, limit)
      held.listening += count
      return () => {
        held.listening -= count
      }
    },
  }
}
