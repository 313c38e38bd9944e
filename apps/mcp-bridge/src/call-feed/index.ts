import type { Worker } from '@iii/sdk'
import type { McpCall } from '../call.ts'
import type { JsonObject } from '../rpc.ts'
import { type Bindings, type BindingsOptions, serveBindings } from './bindings.ts'
import { DELIVERY_LIMITS, type DeliveryLimits } from './delivery.ts'
import { createPending } from './pending.ts'
import { toEntry } from './record.ts'
import { createSubscribers, type SubscribersOptions } from './subscribers.ts'
import { type Begun, createTrace, type EndedCall, type RequestTrace } from './trace.ts'
import { isLight } from './weight.ts'

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
    Pick<SubscribersOptions, 'graceMs'> {
  readonly worker: Pick<Worker, 'registerFunction' | 'registerTrigger' | 'registerTriggerType' | 'trigger' | 'state'>
  readonly limits?: Partial<DeliveryLimits>
}

/** The requests that are told of, and the parameter that says what was asked for. */
const TOLD: Readonly<Record<string, readonly [Begun['kind'], string]>> = {
  'tools/call': ['tool', 'name'],
  'prompts/get': ['prompt', 'name'],
  'resources/read': ['section', 'uri'],
}

export function serveCallFeed(options: CallFeedOptions): CallFeed {
  const { via } = options
  const limits = { ...DELIVERY_LIMITS, ...options.limits }
  const subscribers = createSubscribers({ ...options, limits })
  const { bound, bind: onBound, unbind: onUnbound } = subscribers
  const bindings = serveBindings({ ...options, bound, onBound, onUnbound })
  const pending = createPending<EndedCall>({
    batch: limits.batch,
    batchMs: limits.batchMs,
    isLight: ({ input }) => isLight(input),
    work(ended) {
      if (subscribers.count === 0) return
      const { wantsInput } = subscribers
      subscribers.tell(ended.map((one) => toEntry(one, via, wantsInput)))
    },
  })

  return {
    follow(method, params, call) {
      const [kind, key] = (subscribers.count > 0 && TOLD[method]) || []
      if (kind === undefined || key === undefined) return undefined
      const name = params[key]
      if (typeof name !== 'string') return undefined
      return createTrace({ kind, name, input: params['arguments'], call }, pending.add)
    },
    onEngineChange: bindings.onEngineChange,
    close() {
      bindings.close()
      pending.flush()
      return subscribers.close()
    },
  }
}
