import type { Worker } from './worker/worker.ts'

/** For texts that say which engine to use. */
export const SUPPORTED_ENGINES = '0.22.1 or a later 0.22'

const OLDEST = [0, 22, 1] as const
const ASK_MS = 5_000

/** @returns undefined when the engine does not tell it, or not to this worker */
export async function askEngineVersion(worker: Pick<Worker, 'trigger'>): Promise<string | undefined> {
  const request = { function_id: 'engine::health::check', payload: {}, timeoutMs: ASK_MS }
  const health: unknown = await worker.trigger(request).catch(() => undefined)
  const version = typeof health === 'object' && health !== null && 'version' in health ? health.version : undefined
  return typeof version === 'string' && NUMBERS.test(version) ? version : undefined
}

/**
 * Why engines of a version are not supported; undefined for those that are.
 *
 * @example
 * explainUnsupported('0.23.0') // 'is newer than 0.22 and not supported yet'
 */
export function explainUnsupported(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = (NUMBERS.exec(version)?.slice(1) ?? []).map(Number)
  const at = [major, minor, patch].findIndex((number, index) => number !== OLDEST[index])
  const [number = 0, oldest = 0] = [[major, minor, patch][at], OLDEST[at]]
  if (number < oldest) return `is older than ${OLDEST.join('.')}, the oldest that is supported`
  return at === 0 || at === 1 ? `is newer than ${OLDEST.slice(0, 2).join('.')} and not supported yet` : undefined
}

const NUMBERS = /^(\d+)\.(\d+)\.(\d+)/
