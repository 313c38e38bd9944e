/** Texts that are looked for in others: that takes as long as those are long, however many there are. */
export interface Needles {
  add(text: string): void
  /** Where two begin at the same place, the longer one is replaced. */
  replaceIn(text: string, replacement: string): string
}

/** @param headLength no text that is added may be shorter; two or more */
export function createNeedles(headLength: number): Needles {
  const all = new Set<string>()
  /** How long those are that begin so, the longest first. */
  const lengths = new Map<string, number[]>()
  const skips = createSkips(headLength)

  function findAt(text: string, at: number): number | undefined {
    return lengths.get(text.slice(at, at + headLength))?.find((length) => all.has(text.slice(at, at + length)))
  }

  return {
    add(text) {
      const head = text.slice(0, headLength)
      const known = lengths.get(head) ?? []
      all.add(text)
      skips.add(head)
      lengths.set(
        head,
        [...new Set([...known, text.length])].sort((a, b) => b - a),
      )
    },
    replaceIn(text, replacement) {
      const parts: string[] = []
      let from = 0
      for (let at = skips.next(text, 0); at !== undefined; at = skips.next(text, Math.max(at + 1, from))) {
        const length = findAt(text, at)
        if (length === undefined) continue
        parts.push(text.slice(from, at), replacement)
        from = at + length
      }
      return parts.length === 0 ? text : parts.join('') + text.slice(from)
    },
  }
}

/** Enough for few to meet by chance; a table of this size is made for each task. */
const PAIRS = 4096

/**
 * Most places are passed over without a look, as Wu and Manber do: two characters that stand in no head, or nowhere but near its beginning, tell
 * how far away the next head can begin.
 */
function createSkips(headLength: number) {
  const last = headLength - 2
  const skips = new Uint32Array(PAIRS).fill(last + 1)
  const pairAt = (text: string, at: number) => ((text.charCodeAt(at) << 5) ^ text.charCodeAt(at + 1)) % PAIRS

  return {
    add(head: string) {
      for (let at = 0; at <= last; at += 1) {
        const pair = pairAt(head, at)
        skips[pair] = Math.min(skips[pair] ?? 0, last - at)
      }
    },
    /** @returns where a head may begin, from there on */
    next(text: string, from: number): number | undefined {
      for (let at = from; at + headLength <= text.length; ) {
        const skip = skips[pairAt(text, at + last)] ?? 0
        if (skip === 0) return at
        at += skip
      }
      return undefined
    },
  }
}
