import { toMembers, toStringValue } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

/** How the messages of a binding are delivered. */
export interface QueueSettings {
  /** One after the other, a failing one until it succeeds or is given up. */
  readonly inOrder: boolean
  /** How many at once; none are delivered with 0. */
  readonly concurrency: number
  /** How often a message is tried before it is dead. */
  readonly attempts: number
  /** The wait before the second attempt, doubled for each further one, in milliseconds. */
  readonly backoffMs: number
}

/** @param defaults - for what the `queue_config` of the binding does not say. */
export function toQueueSettings(config: JsonText, defaults: QueueSettings): QueueSettings {
  const settings = toMembers(toMembers(config)?.get('queue_config') ?? 'null')
  const retries = toCount(settings?.get('maxRetries'))
  const type = toStringValue(settings?.get('type'))
  return {
    inOrder: type === undefined ? defaults.inOrder : type === 'fifo',
    concurrency: toCount(settings?.get('concurrency')) ?? defaults.concurrency,
    attempts: retries === undefined ? defaults.attempts : retries + 1,
    backoffMs: toCount(settings?.get('backoffDelayMs')) ?? defaults.backoffMs,
  }
}

function toCount(text: JsonText | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}
