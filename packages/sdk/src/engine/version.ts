import type { FunctionCaller } from './call.ts'

/** For texts that say which engine to use. */
export const SUPPORTED_ENGINES = '0.22.1 or later, up to 0.23'

const OLDEST = [0, 22, 1] as const
const NEWEST = [0, 23] as const
const ASK_MS = 5_000

/** @returns undefined when the engine does not tell it, or not to this worker */
export async function askEngineVersion(worker: FunctionCaller): Promise<string | undefined> {
  const request = { function_id: 'engine::health::check', payload: {}, timeoutMs: ASK_MS }
  const health: unknown = await worker.trigger(request).catch(() => undefined)
  const version = typeof health === 'object' && health !== null && 'version' in health ? health.version : undefined
  return typeof version === 'string' && NUMBERS.test(version) ? version : undefined
}

/**
 * Why engines of a version are not supported; undefined for those that are.
 *
 * @example
 * explainUnsupported('0.24.0') // 'is newer than 0.23 and not supported yet'
 */
export function explainUnsupported(version: string): string | undefined {
  const numbers = (NUMBERS.exec(version)?.slice(1) ?? []).map(Number)
  if (isBefore(numbers, OLDEST)) return `is older than ${OLDEST.join('.')}, the oldest that is supported`
  return isBefore(NEWEST, numbers.slice(0, 2)) ? `is newer than ${NEWEST.join('.')} and not supported yet` : undefined
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((number, index) => number !== other[index])
  return at !== -1 && (one[at] ?? 0) < (other[at] ?? 0)
}

const NUMBERS = /^(\d+)\.(\d+)\.(\d+)/
