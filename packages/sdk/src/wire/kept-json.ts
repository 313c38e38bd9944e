import { writeJson } from './json-text.ts'

/** Values that never change, with the bytes of their JSON once somebody has asked for it. */
const kept = new WeakMap<object, Buffer | undefined>()

/**
 * Says that a value never changes from now on, so that a function that returns it again and again pays for its JSON once.
 *
 * @example
 * const list = keepJson({ orders: all })
 * worker.registerFunction('orders::list', () => list)
 */
export function keepJson<T extends object>(value: T): T {
  if (!kept.has(value)) kept.set(value, undefined)
  return value
}

/**
 * The JSON of a value that is kept, written once.
 *
 * @returns undefined for any other value
 * @throws Fault as {@link writeJson}
 */
export function toKeptBytes(value: unknown, what: string): Buffer | undefined {
  if (typeof value !== 'object' || value === null || !kept.has(value)) return undefined
  const known = kept.get(value)
  if (known !== undefined) return known
  const text = writeJson(value, what)
  const bytes = text === undefined ? undefined : Buffer.from(text)
  kept.set(value, bytes)
  return bytes
}
