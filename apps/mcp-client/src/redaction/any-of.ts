/** Longer windows gain nothing: a step has to fit into a byte. */
const MAX_WINDOW = 255
const BUCKETS = 4_096

/**
 * Looks for any of many texts at once, in a time that hardly grows with how many they are: most of a text that has none is not even read
 * (Wu and Manber's way of searching). Where one is found, which of them is for others to look.
 *
 * @param needles of two characters or more
 */
export function createAnyOf(needles: readonly string[]): (text: string) => boolean {
  if (needles.length === 0) return () => false
  const window = Math.min(MAX_WINDOW, ...needles.map(({ length }) => length))
  /** By the two characters at the end of the window: how far the nearest needle is that has them in its beginning. */
  const steps = new Uint8Array(BUCKETS).fill(window - 1)
  const ending = new Map<number, string[]>()
  for (const needle of needles) {
    for (let end = 1; end < window; end++) {
      const bucket = toBucket(needle, end)
      steps[bucket] = Math.min(steps[bucket] ?? 0, window - 1 - end)
      if (end === window - 1) ending.set(bucket, [...(ending.get(bucket) ?? []), needle])
    }
  }
  return (text) => {
    for (let end = window - 1; end < text.length; ) {
      const bucket = toBucket(text, end)
      const step = steps[bucket] ?? 1
      const start = end - window + 1
      if (step === 0 && ending.get(bucket)?.some((needle) => text.startsWith(needle, start))) return true
      end += step || 1
    }
    return false
  }
}

function toBucket(text: string, end: number): number {
  return ((text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end)) & (BUCKETS - 1)
}
