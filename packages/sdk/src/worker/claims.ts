/**
 * What the engine has said on this connection of the functions that were told to it. An engine where the first to register an id keeps it
 * refuses those that another worker has, so nothing that others could lose is built on a function before its refusal would have come.
 */
export interface Claims {
  /** A new connection: it knows of these functions as soon as it knows who we are. */
  reset(): void
  /** It was told of a function. */
  told(id: string): void
  /** It refused one. */
  refused(id: string): void
  isRefused(id: string): boolean
  /** Whether a function is not refused, and will not be. Those that were never told here are not ours to judge. */
  isSettled(id: string): boolean
  /** Whether that is so for all, of those that count. */
  allSettled(counts: (id: string) => boolean): boolean
  /** A question is asked whose answer comes after every refusal of what was told so far. */
  onAsked(): void
  onAnswered(): void
}

export function createClaims(): Claims {
  let told = new Set<string>()
  let asked: Set<string>[] = []
  const refused = new Set<string>()

  const isOpen = (id: string) => told.has(id) || asked.some((ids) => ids.has(id))

  return {
    reset() {
      told = new Set()
      asked = []
      refused.clear()
    },
    told(id) {
      told.add(id)
      refused.delete(id)
    },
    refused: (id) => void refused.add(id),
    isRefused: (id) => refused.has(id),
    isSettled: (id) => !refused.has(id) && !isOpen(id),
    allSettled: (counts) => [...told, ...asked.flatMap((ids) => [...ids]), ...refused].every((id) => !counts(id)),
    onAsked() {
      asked.push(told)
      told = new Set()
    },
    onAnswered: () => void asked.shift(),
  }
}
