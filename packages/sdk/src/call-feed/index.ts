import type { Binding } from '../worker/trigger-types.ts'
import { DELIVERY_LIMITS, type DeliveryLimits } from './delivery.ts'
import type { Entry } from './entry.ts'
import { createPending } from './pending.ts'
import { createSubscribers, type SubscribersOptions } from './subscribers.ts'
import { isLight } from './weight.ts'

export type { DeliveryLimits } from './delivery.ts'
export { type CallInput, type Entry, toEntry, toJsonBytes } from './entry.ts'
export { refuseBinding } from './refusal.ts'

/** Tells whoever is bound to a trigger type what was called. A call never waits for it. */
export interface CallFeed<Ended> {
  /** Whether anybody wants to hear. */
  readonly isHeard: boolean
  /** A call is over. */
  add(ended: Ended): void
  /** The bindings of those that have not left. */
  bound(): Iterable<string>
  /** Told of a binding, again when it is another one under the same id. @throws Fault when there are too many */
  bind(binding: Binding): void
  unbind(id: string): void
  /** Tells what waits, once. */
  close(): Promise<void>
}

/** @typeParam Ended what is known of a call that is over; its record is made off the way of the calls */
export interface CallFeedOptions<Ended> extends Omit<SubscribersOptions, 'limits'> {
  readonly limits?: Partial<DeliveryLimits> | undefined
  inputOf(ended: Ended): unknown
  /** @param withInput does any subscriber want to know the arguments? */
  toEntry(ended: Ended, withInput: boolean): Entry
}

export function createCallFeed<Ended>(options: CallFeedOptions<Ended>): CallFeed<Ended> {
  const limits = { ...DELIVERY_LIMITS, ...options.limits }
  const subscribers = createSubscribers({ ...options, limits })
  const pending = createPending<Ended>({
    batch: limits.batch,
    batchMs: limits.batchMs,
    isLight: (ended) => isLight(options.inputOf(ended)),
    work(ended) {
      if (subscribers.count === 0) return
      const { wantsInput } = subscribers
      subscribers.tell(ended.map((one) => options.toEntry(one, wantsInput)))
    },
  })
  return {
    get isHeard() {
      return subscribers.count > 0
    },
    add: pending.add,
    bound: subscribers.bound,
    bind: subscribers.bind,
    unbind: subscribers.unbind,
    close() {
      pending.flush()
      return subscribers.close()
    },
  }
}
