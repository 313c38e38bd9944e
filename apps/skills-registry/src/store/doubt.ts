/** Whether the store may have lost what was acknowledged: an engine that was cut off may come back older than it was. */
export interface Doubt {
  /** Goes up with each loss of the connection. */
  readonly level: number
  /** False once what was known at this level was held against the store. */
  readonly isOpen: boolean
  /**
   * Whether it was given something back lately: another registry, which was behind, may do the same now, with records that were
   * removed since.
   */
  readonly isFreshlyRepaired: boolean
  raise(): void
  settle(level: number): void
  repaired(): void
}

const FRESH_MS = 60_000

export function createDoubt(): Doubt {
  let level = 0
  let settled = 0
  let repairedAt = Number.NEGATIVE_INFINITY
  return {
    get level() {
      return level
    },
    get isOpen() {
      return settled < level
    },
    get isFreshlyRepaired() {
      return performance.now() - repairedAt < FRESH_MS
    },
    raise() {
      level += 1
    },
    settle(at) {
      settled = at
    },
    repaired() {
      repairedAt = performance.now()
    },
  }
}
