import { MAX_FRAME_BYTES, writeJson } from './json-text.ts'

/** The JSON text of a value. */
export interface KeptText {
  /** undefined for a value that JSON leaves out. */
  text: string | undefined
  /** Whether it is known to fit into a frame, so that nobody has to measure the frame. */
  fits: boolean
}

/** Values that never change, with their text once somebody has asked for it. */
const kept = new WeakMap<object, KeptText | undefined>()

/** What a frame holds beside a value is shorter than this. */
const HEAD_BYTES = 64 * 1024

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

/** As {@link writeJson}; a value that is kept is written once. */
export function toKeptText(value: unknown, what: string): KeptText {
  if (typeof value !== 'object' || value === null || !kept.has(value)) {
    return { text: writeJson(value, what), fits: false }
  }
  const known = kept.get(value)
  if (known) return known
  const text = writeJson(value, what)
  const written = { text, fits: Buffer.byteLength(text ?? '') <= MAX_FRAME_BYTES - HEAD_BYTES }
  kept.set(value, written)
  return written
}
