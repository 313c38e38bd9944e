import { Fault } from '@iii/protocol'
import type { Binding } from '../worker/trigger-types.ts'
import { type BatchDelivery, type BatchDeliveryOptions, createBatchDelivery } from './delivery.ts'
import type { Entry } from './entry.ts'

/** Those who want to hear of calls. */
export interface Subscribers {
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

export function createSubscribers(options: SubscribersOptions): Subscribers {
  const { graceMs = 10_000 } = options
  const known = new Map<string, BatchDelivery>()
  const leaving = new Map<string, NodeJS.Timeout>()

  function forget(id: string): void {
    known.get(id)?.stop()
    known.delete(id)
    leaving.delete(id)
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
