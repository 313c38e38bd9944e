import { MCP_ON_CALL } from '@iii/protocol'
import type { Worker } from '@iii/sdk'
import { type CallFeed, type CallFeedOptions, createCallFeed } from '@iii/sdk/call-feed'
import type { EndedCall } from '../mcp/ended-call.ts'
import { type BindingsOptions, type CallBindings, serveBindings } from './bindings.ts'
import { toCallEntry } from './record.ts'

/** Tells whoever is bound to `mcp::on-call` what clients have called. A call never waits for it. */
export interface ServedCallFeed {
  /** Where calls that are over go, and those of callers who were not let in. */
  readonly calls: Pick<CallFeed<EndedCall>, 'isHeard' | 'add'>
  readonly arrive: CallBindings['arrive']
  /** Workers have come or gone. */
  readonly onEngineChange: CallBindings['onEngineChange']
  /** Tells what waits, once. */
  close(): Promise<void>
}

export interface ServedCallFeedOptions
  extends Pick<BindingsOptions, 'via' | 'timeoutMs' | 'log'>,
    Pick<CallFeedOptions<EndedCall>, 'graceMs' | 'limits' | 'onDropped'> {
  readonly worker: Pick<
    Worker,
    'registerFunction' | 'registerTrigger' | 'registerTriggerType' | 'trigger' | 'state' | 'namespace'
  >
}

export function serveCallFeed(options: ServedCallFeedOptions): ServedCallFeed {
  let onKnown: () => void = () => undefined
  const known = new Promise<void>((resolve) => {
    onKnown = resolve
  })
  const teller = { via: options.via, namespace: options.worker.namespace }
  const feed = createCallFeed<EndedCall>({
    ...{ ...options, known },
    type: MCP_ON_CALL,
    inputOf: ({ input }) => input,
    toEntry: (ended, withInput) => toCallEntry(ended, teller, withInput),
  })
  const bindings = serveBindings({ ...options, bound: feed.bound, onBound: feed.bind, onUnbound: feed.unbind })

  return {
    calls: feed,
    arrive: () => bindings.arrive().finally(onKnown),
    onEngineChange: bindings.onEngineChange,
    close() {
      bindings.close()
      return feed.close()
    },
  }
}
