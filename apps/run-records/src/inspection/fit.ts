import { toJsonText } from '@iii/protocol'

/** What clients take: a bridge sends a result as text and as data. */
const MAX_BYTES = 1024 * 1024
/** For what a bridge puts around it. */
const FRAME_BYTES = 4096

/** A result that can be cut: lists, and how many entries were left out of them. */
type Cuttable<Key extends string> = { readonly [K in Key]?: readonly unknown[] | undefined } & {
  readonly left_out?: number | undefined
}

/** Whether a result can be sent. */
export function isFitting(result: unknown): boolean {
  return sizeOf(result) <= MAX_BYTES - FRAME_BYTES
}

/**
 * Cuts the lists of a result from their ends until it can be sent, the last named first, and says in `left_out` how many entries are
 * missing.
 */
export function toFitting<Key extends string, T extends Cuttable<Key>>(result: T, keys: readonly Key[]): T {
  let fitting = result
  for (const key of keys.toReversed()) {
    if (isFitting(fitting)) return fitting
    fitting = cut(fitting, key)
  }
  return fitting
}

function cut<Key extends string, T extends Cuttable<Key>>(result: T, key: Key): T {
  const entries: readonly unknown[] = result[key] ?? []
  const keep = (count: number): T => ({
    ...result,
    [key]: entries.slice(0, count),
    left_out: (result.left_out ?? 0) + entries.length - count,
  })
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (isFitting(keep(middle))) low = middle
    else high = middle - 1
  }
  return entries.length === 0 ? result : keep(low)
}

function sizeOf(result: unknown): number {
  return Buffer.byteLength(toJsonText(result) ?? '') + Buffer.byteLength(JSON.stringify(result))
}
