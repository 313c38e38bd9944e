/** Texts that are looked for in others: that takes as long as those are long, however many there are. */
export interface Needles {
  add(text: string): void
  /** Where two begin at the same place, the longer one is replaced. */
  replaceIn(text: string, replacement: string): string
}

/** @param headLength no text that is added may be shorter */
export function createNeedles(headLength: number): Needles {
  const all = new Set<string>()
  /** How long those are that begin so, the longest first. */
  const lengths = new Map<string, number[]>()

  function findAt(text: string, at: number): number | undefined {
    return lengths.get(text.slice(at, at + headLength))?.find((length) => all.has(text.slice(at, at + length)))
  }

  return {
    add(text) {
      all.add(text)
      const head = text.slice(0, headLength)
      const known = lengths.get(head) ?? []
      if (!known.includes(text.length))
        lengths.set(
          head,
          [...known, text.length].sort((a, b) => b - a),
        )
    },
    replaceIn(text, replacement) {
      const parts: string[] = []
      let from = 0
      for (let at = 0; at + headLength <= text.length; at += 1) {
        const length = findAt(text, at)
        if (length === undefined) continue
        parts.push(text.slice(from, at), replacement)
        from = at + length
        at = from - 1
      }
      return parts.length === 0 ? text : parts.join('') + text.slice(from)
    },
  }
}
