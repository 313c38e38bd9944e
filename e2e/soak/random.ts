/** Numbers from 0 to below 1, always the same for a seed. */
export type Random = () => number

const STEP = 0x6d2b79f5
const TWO_32 = 0x1_0000_0000

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + STEP) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / TWO_32
  }
}

/** @throws for an empty list */
export function pick<T>(random: Random, list: readonly T[]): T {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('There is nothing to pick from: the list has to have an entry')
  return found
}

/** The same entries in another order. */
export function shuffle<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((entry) => ({ entry, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ entry }) => entry)
}
