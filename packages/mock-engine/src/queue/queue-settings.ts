import { toMembers } from '../json/build.ts'
import type { JsonText } from '../json/json-text.ts'

const DEFAULT_ATTEMPTS = 3

/** How a queue treats a failing message, from the `queue_config` of the binding that made it. */
export function toQueueSettings(config: JsonText, backoffMs: number): { attempts: number; backoffMs: number } {
  const settings = toMembers(toMembers(config)?.get('queue_config') ?? 'null')
  const retries = toCount(settings?.get('maxRetries'))
  return {
    attempts: retries === undefined ? DEFAULT_ATTEMPTS : retries + 1,
    backoffMs: toCount(settings?.get('backoffDelayMs')) ?? backoffMs,
  }
}

function toCount(text: JsonText | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}
