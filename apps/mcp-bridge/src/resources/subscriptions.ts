import { LOG_LEVELS, type LogLevel } from '@iii/protocol'
import type { EmptyResult } from '@modelcontextprotocol/server'
import type { McpCall, SessionState } from '../mcp/call.ts'
import type { Params } from '../mcp/params.ts'
import { invalidParams, RPC, RpcError, requireText } from '../mcp/rpc.ts'
import { toOneSpelling } from './declared/table.ts'
import type { McpResources } from './index.ts'
import type { SubscriptionShare } from './subscription-share.ts'

/** What a client sets in its session: which resources it wants to hear of, and how much of the log. */
export interface Subscriptions {
  subscribe(params: Params<'resources/subscribe'>, call: McpCall): Promise<EmptyResult>
  unsubscribe(params: Params<'resources/unsubscribe'>, call: McpCall): Promise<EmptyResult>
  setLevel(params: Params<'logging/setLevel'>, call: McpCall): Promise<EmptyResult>
}

export interface SubscriptionsOptions {
  readonly changes: {
    /** Resolves when what changes from now on is told. */
    ready(): Promise<void>
  }
  readonly resources: Pick<McpResources, 'check'>
  readonly share: Pick<SubscriptionShare, 'requireRoom'>
}

export function createSubscriptions({ changes, resources, share }: SubscriptionsOptions): Subscriptions {
  return {
    async subscribe(params, call) {
      const uri = requireUri(params, 'resources/subscribe')
      const session = requireSession(call, 'resources/subscribe')
      await resources.check(uri, call)
      share.requireRoom(uri, session, call)
      await session.subscribe(uri)
      await changes.ready()
      return {}
    },
    async unsubscribe(params, call) {
      const uri = requireUri(params, 'resources/unsubscribe')
      await requireSession(call, 'resources/unsubscribe').unsubscribe(uri)
      return {}
    },
    async setLevel(params, call) {
      const { level } = params
      if (!LOG_LEVELS.includes(level as LogLevel)) {
        throw invalidParams(`'level' must be one of ${LOG_LEVELS.join(', ')}`)
      }
      await requireSession(call, 'logging/setLevel').setLogLevel(level as LogLevel)
      return {}
    },
  }
}

function requireUri({ uri }: Params<'resources/subscribe'>, method: string): string {
  return toOneSpelling(requireText(uri, 'uri', method))
}

function requireSession({ session }: McpCall, method: string): SessionState {
  if (session !== undefined) return session
  throw new RpcError(
    RPC.invalidRequest,
    `${method} needs a session: send initialize first, and over HTTP the Mcp-Session-Id of its reply with every request`,
  )
}
