import { Fault, isInternalId } from '@iii/protocol'
import type { Logger } from '../log.ts'
import type { JsonSchema, ZodSchema } from '../schema/json-schema.ts'
import {
  type NamesOf,
  refuseMistyped,
  requireBounds,
  requireFunctions,
  requireTimerMs,
  requireWorker,
} from '../suggestions/mistyped.ts'
import type { Binding } from '../worker/trigger-types.ts'
import type { Worker } from '../worker/worker.ts'
import { type ChangeDeliveryOptions, createFeedSubscriber, type FeedSubscriber } from './subscriber.ts'

export interface ChangeFeedOptions<Change> {
  /** The trigger type, e.g. `skills::on-change`. */
  id: string
  description: string
  /** Schema of a change, shown by `engine::triggers::info`. */
  change?: ZodSchema | JsonSchema | undefined
  /** Says why a binding is refused; undefined takes it. Bindings to internal functions are refused before that. */
  accept?: ((binding: Binding) => string | undefined) | undefined
  /** What a change is about: of those with the same key only the last matters. @default its `id` or `name`, else its JSON */
  key?: ((change: Change) => string) | undefined
  /** Of two changes with the same key, when both cannot wait: what stands for them. @default the later one */
  merge?: ((earlier: Change, later: Change) => Change) | undefined
  /** Deadline of one delivery. @default 5_000 */
  timeoutMs?: number | undefined
  /** Changes that may wait for one subscriber before they are coalesced. @default 1_000 */
  maxWaiting?: number | undefined
  /** @default 256 */
  maxSubscribers?: number | undefined
  /** First pause before the last change is delivered again to a subscriber that was not there; it doubles. @default 1_000 */
  retryMs?: number | undefined
  /** @default the worker's */
  log?: Logger | undefined
}

const NAMES: NamesOf<ChangeFeedOptions<unknown>> = {
  id: true,
  description: true,
  change: true,
  accept: true,
  key: true,
  merge: true,
  timeoutMs: true,
  maxWaiting: true,
  maxSubscribers: true,
  retryMs: true,
  log: true,
}

/** A trigger type whose subscribers are told of every change. */
export interface ChangeFeed<Change> {
  /** Tells every subscriber, in order for each, waiting for none. Never throws. */
  announce(change: Change): void
  readonly subscriberCount: number
  unregister(): void
}

/**
 * Provides a trigger type on which changes are announced.
 *
 * Each subscriber has its own queue and is called one change at a time, so it sees them in order and a slow or dead one
 * delays nobody. A change that a subscriber did not get (it was away, it did not answer) is tried again only when it is
 * the last one: later changes are hints just as good.
 *
 * @throws Fault `invalid_input` for an option that is mistyped or of the wrong kind
 */
export function createChangeFeed<Change>(worker: Worker, options: ChangeFeedOptions<Change>): ChangeFeed<Change> {
  requireWorker('createChangeFeed', worker, '(worker, options)')
  requireOptions(options)
  const { maxSubscribers = 256, log = worker.log } = options
  const subscribers = new Map<string, FeedSubscriber<Change>>()
  let stale = new Set<string>()

  const registration = worker.registerTriggerType(
    { id: options.id, description: options.description, call_request_format: options.change },
    {
      registerTrigger(binding) {
        const problem = refuseBinding(options.id, binding) ?? options.accept?.(binding)
        if (problem !== undefined) throw new Fault('forbidden', problem)
        stale.delete(binding.id)
        const known = subscribers.get(binding.id)
        if (known !== undefined) return known.rebind(binding)
        if (subscribers.size >= maxSubscribers) {
          throw new Fault('overloaded', `'${options.id}' has ${maxSubscribers} subscribers already, which is the limit`)
        }
        subscribers.set(binding.id, createFeedSubscriber(worker, binding, toDelivery(options, log)))
      },
      unregisterTrigger({ id }) {
        subscribers.get(id)?.stop()
        subscribers.delete(id)
      },
    },
  )

  function forgetStale(): void {
    for (const id of stale) {
      subscribers.get(id)?.stop()
      subscribers.delete(id)
    }
    stale = new Set()
  }

  const stopListening = worker.onStateChange((state) => {
    if (state !== 'connected') {
      stale = new Set(subscribers.keys())
      return
    }
    // After a reconnect the engine repeats the bindings that still live, before it answers what `ready` asks.
    worker.ready().then(forgetStale, () => undefined)
    for (const subscriber of subscribers.values()) subscriber.deliver()
  })

  return {
    announce(change) {
      for (const subscriber of subscribers.values()) {
        try {
          subscriber.add(change)
        } catch (error) {
          log.error({ err: error }, `a change of '${options.id}' is lost for a subscriber, as its key or merge failed`)
        }
      }
    },
    get subscriberCount() {
      return subscribers.size
    },
    unregister() {
      stopListening()
      registration.unregister()
      for (const subscriber of subscribers.values()) subscriber.stop()
      subscribers.clear()
    },
  }
}

function requireOptions<Change>(options: ChangeFeedOptions<Change>): void {
  const what = 'createChangeFeed'
  refuseMistyped(what, options, NAMES)
  requireFunctions(what, options, ['accept', 'key', 'merge'])
  requireTimerMs(what, options, ['timeoutMs', 'retryMs'])
  requireBounds(what, options, ['maxWaiting', 'maxSubscribers'])
}

/** A feed never calls into the engine's own plumbing on behalf of a stranger; bridges listen under `mcp::`. */
function refuseBinding(feedId: string, { function_id: functionId }: Binding): string | undefined {
  if (!isInternalId(functionId) || functionId.toLowerCase().startsWith('mcp::')) return undefined
  return `'${feedId}' does not call '${functionId}': it is in an internal namespace`
}

function toDelivery<Change>(options: ChangeFeedOptions<Change>, log: Logger): ChangeDeliveryOptions<Change> {
  return {
    keyOf: options.key ?? toKey,
    merge: options.merge ?? ((_, later) => later),
    timeoutMs: options.timeoutMs ?? 5_000,
    maxWaiting: options.maxWaiting ?? 1_000,
    retryMs: options.retryMs ?? 1_000,
    log,
  }
}

function toKey(change: unknown): string {
  if (typeof change === 'object' && change !== null) {
    if ('id' in change && typeof change.id === 'string') return change.id
    if ('name' in change && typeof change.name === 'string') return change.name
  }
  return JSON.stringify(change)
}
