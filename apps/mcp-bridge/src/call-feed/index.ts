import { MCP_ON_CALL } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { createCallFeed, type CallFeedOptions as FeedOptions } from '@iii/sdk/call-feed'
import type { McpCall } from '../mcp/call.ts'
import type { JsonObject } from '../mcp/rpc.ts'
import { type Bindings, type BindingsOptions, serveBindings } from './bindings.ts'
import { toEntry } from './record.ts'
import { type Begun, createTrace, type EndedCall, type RequestTrace } from './trace.ts'

export type { CallTrace, RequestTrace, TaskTrace } from './trace.ts'

/** Tells whoever is bound to `mcp::on-call` what clients have called. A call never waits for it. */
export interface CallFeed {
  /** Follows a request from here to its end; undefined for one that is not told of, and while nobody wants to hear. */
  follow(method: string, params: JsonObject, call: McpCall): RequestTrace | undefined
  /** Workers have come or gone. */
  onEngineChange: Bindings['onEngineChange']
  /** Tells what waits, once. */
  close(): Promise<void>
}

export interface CallFeedOptions
  extends Pick<BindingsOptions, 'via' | 'timeoutMs' | 'log'>,
    Pick<FeedOptions<EndedCall>, 'graceMs' | 'limits'> {
  readonly worker: Pick<
    Worker,
    'registerFunction' | 'registerTrigger' | 'registerTriggerType' | 'trigger' | 'state' | 'namespace'
  >
}

/** The requests that are told of, and the parameter that says what was asked for. */
const TOLD: Readonly<Record<string, readonly [Begun['kind'], string]>> = {
  'tools/call': ['tool', 'name'],
  'prompts/get': ['prompt', 'name'],
  'resources/read': ['section', 'uri'],
}

export function serveCallFeed(options: CallFeedOptions): CallFeed {
  const teller = { via: options.via, namespace: options.worker.namespace }
  const feed = createCallFeed<EndedCall>({
    ...options,
    type: MCP_ON_CALL,
    inputOf: ({ input }) => input,
    toEntry: (ended, withInput) => toEntry(ended, teller, withInput),
  })
  const bindings = serveBindings({ ...options, bound: feed.bound, onBound: feed.bind, onUnbound: feed.unbind })

  return {
    follow(method, params, call) {
      const [kind, key] = (feed.isHeard && TOLD[method]) || []
      if (kind === undefined || key === undefined) return undefined
      const name = params[key]
      if (typeof name !== 'string') return undefined
      return createTrace({ kind, name, input: params['arguments'], call }, feed.add)
    },
    onEngineChange: bindings.onEngineChange,
    close() {
      bindings.close()
      return feed.close()
    },
  }
}
