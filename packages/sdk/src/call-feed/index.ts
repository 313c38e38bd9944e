import { Fault } from '@iii/protocol'
import type { Binding } from '../worker/trigger-types.ts'
import {
  type BatchDelivery,
  type BatchDeliveryOptions,
  createBatchDelivery,
  DELIVERY_LIMITS,
  type DeliveryLimits,
} from './delivery.ts'
import type { Entry } from './entry.ts'
import { createPending } from './pending.ts'
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
  /** Resolves when it is known who wants to hear: the first few calls until then are told after it. @default it is known */
  readonly known?: Promise<unknown> | undefined
  inputOf(ended: Ended): unknown
  /** @param withInput does any subscriber want to know the arguments? */
  toEntry(ended: Ended, withInput: boolean): Entry
}

const MAX_EARLY = 64

export function createCallFeed<Ended>(options: CallFeedOptions<Ended>): CallFeed<Ended> {
  const limits = { ...DELIVERY_LIMITS, ...options.limits }
  let early: Ended[] | undefined = options.known && []
  const isSmall = (ended: Ended) => isLight(options.inputOf(ended))
  const subscribers = createSubscribers({ ...options, limits }, updateHeard)
  const pending = createPending<Ended>({
    batch: limits.batch,
    batchMs: limits.batchMs,
    isLight: isSmall,
    work(ended) {
      if (early === undefined) tell(ended)
      else early.push(...ended.filter(isSmall).slice(0, MAX_EARLY - early.length))
    },
  })
  // Each call looks at it.
  const feed = {
    isHeard: early !== undefined,
    add: pending.add,
    bound: subscribers.bound,
    bind: subscribers.bind,
    unbind: subscribers.unbind,
    close() {
      pending.flush()
      return subscribers.close()
    },
  }

  function updateHeard(): void {
    feed.isHeard = early !== undefined || subscribers.count > 0
  }

  function tell(ended: readonly Ended[]): void {
    if (subscribers.count === 0) return
    const { wantsInput } = subscribers
    subscribers.tell(ended.map((one) => options.toEntry(one, wantsInput)))
  }

  void options.known?.then(() => {
    pending.flush()
    const kept = early ?? []
    early = undefined
    updateHeard()
    tell(kept)
  })
  return feed
}

/** Those who want to hear of calls. */
interface Subscribers {
  readonly count: number
  /** Does any of them want to know what functions were called with? */
  readonly wantsInput: boolean
  /** A batch: they have waited for one another. */
  tell(entries: readonly Entry[]): void
  /** The bindings of those that have not left. */
  bound(): Iterable<string>
  /** @throws Fault when there are too many */
  bind(binding: Binding): void
  unbind(id: string): void
  /** Tells what waits, once. */
  close(): Promise<void>
}

export interface SubscribersOptions extends BatchDeliveryOptions {
  /** The trigger type that they are bound to. */
  readonly type: string
  /** How long one that has left may come back. @default 10000 */
  readonly graceMs?: number
}

const MAX_SUBSCRIBERS = 16

function createSubscribers(options: SubscribersOptions, onCount: () => void): Subscribers {
  const { graceMs = 10_000 } = options
  const known = new Map<string, BatchDelivery>()
  const leaving = new Map<string, NodeJS.Timeout>()

  function forget(id: string): void {
    known.get(id)?.stop()
    known.delete(id)
    leaving.delete(id)
    onCount()
  }

  return {
    get count() {
      return known.size
    },
    get wantsInput() {
      for (const delivery of known.values()) if (delivery.wantsInput) return true
      return false
    },
    tell(entries) {
      for (const delivery of known.values()) {
        for (const entry of entries) delivery.add(entry)
        delivery.hurry()
      }
    },
    *bound() {
      for (const id of known.keys()) if (!leaving.has(id)) yield id
    },
    bind(binding) {
      const { id } = binding
      clearTimeout(leaving.get(id))
      leaving.delete(id)
      const delivery = known.get(id)
      if (delivery === undefined && known.size >= MAX_SUBSCRIBERS) throw tooMany(options.type)
      if (delivery === undefined) known.set(id, createBatchDelivery(binding, options))
      else delivery.bind(binding)
      onCount()
    },
    /** A subscriber that connects anew is bound anew under the same id, within moments; so is everybody after the engine was restarted. */
    unbind(id) {
      if (!known.has(id) || leaving.has(id)) return
      known.get(id)?.hold()
      leaving.set(id, setTimeout(forget, graceMs, id).unref())
    },
    async close() {
      await Promise.all([...known.values()].map((delivery) => delivery.flush()))
      for (const timer of leaving.values()) clearTimeout(timer)
      for (const id of [...known.keys()]) forget(id)
    },
  }
}

function tooMany(type: string): Fault {
  return new Fault('overloaded', `'${type}' has ${MAX_SUBSCRIBERS} subscribers already, which is the limit`)
}
