import { toJsonText } from './json-text.ts'

/** Values that never change, with their text once somebody has asked for it. */
const kept = new WeakMap<object, string | undefined>()

/**
 * Says that a value never changes from now on, so that a function that returns it again and again pays for its JSON text once.
 *
 * @example
 * const list = keepJson({ orders: all })
 * worker.registerFunction('orders::list', () => list)
 */
export function keepJson<T extends object>(value: T): T {
  if (!kept.has(value)) kept.set(value, undefined)
  return value
}

/** As {@link toJsonText}; a value that is kept is written once. */
export function toKeptText(value: unknown, what: string): string | undefined {
  if (typeof value !== 'object' || value === null || !kept.has(value)) return toJsonText(value, what)
  const text = kept.get(value) ?? toJsonText(value, what)
  kept.set(value, text)
  return text
}
