/** Whether what is known was verified against the store since the connection was lost last: an engine may come back older than it was. */
export interface Verification {
  /** Goes up with each loss of the connection. */
  readonly generation: number
  /** False once what was known in this generation was held against the store. */
  readonly isDue: boolean
  /**
   * Whether the store was given something back lately: another registry, which was behind, may do the same now, with records that were
   * removed since.
   */
  readonly isFreshlyRepaired: boolean
  invalidate(): void
  complete(generation: number): void
  repaired(): void
}

const FRESH_MS = 60_000

export function createVerification(): Verification {
  let generation = 0
  let completed = 0
  let repairedAt = Number.NEGATIVE_INFINITY
  return {
    get generation() {
      return generation
    },
    get isDue() {
      return completed < generation
    },
    get isFreshlyRepaired() {
      return performance.now() - repairedAt < FRESH_MS
    },
    invalidate() {
      generation += 1
    },
    complete(at) {
      completed = at
    },
    repaired() {
      repairedAt = performance.now()
    },
  }
}
