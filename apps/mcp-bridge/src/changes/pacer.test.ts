import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPacer } from './pacer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Gives hints at these times and says when there were reactions. */
function play(hintsAt: readonly number[]): number[] {
  const reactions: number[] = []
  const startedAt = performance.now()
  const pacer = createPacer(() => reactions.push(Math.round(performance.now() - startedAt)))
  let now = 0
  for (const at of hintsAt) {
    vi.advanceTimersByTime(at - now)
    now = at
    pacer.hint('x')
  }
  vi.advanceTimersByTime(5_000)
  pacer.close()
  return reactions
}

describe('a pacer', () => {
  it('reacts once to a burst, and to a long one twice a second', () => {
    expect(play([0])).toEqual([50])
    expect(play([0, 10, 20, 40])).toEqual([90])
    expect(play(Array.from({ length: 200 }, (_, at) => at * 10))).toEqual([250, 750, 1250, 1750, 2250])
  })

  it('never reacts without a hint, twice within half a second, or not at all', () => {
    const times = fc.array(fc.nat(3_000), { minLength: 1, maxLength: 60 }).map((list) => list.sort((a, b) => a - b))
    fc.assert(
      fc.property(times, (hintsAt) => {
        const reactions = play(hintsAt)
        for (const [index, at] of reactions.entries()) {
          const previous = reactions[index - 1] ?? Number.NEGATIVE_INFINITY
          expect(at - previous).toBeGreaterThanOrEqual(500)
          expect(hintsAt.some((hint) => hint <= at && hint >= previous)).toBe(true)
        }
        for (const hint of hintsAt) expect(reactions.some((at) => at >= hint && at <= hint + 800)).toBe(true)
      }),
    )
  })

  it('keeps keys apart, and keeps nothing of those that are quiet', () => {
    const reactions: string[] = []
    const pacer = createPacer((key) => reactions.push(key))
    pacer.hint('a')
    pacer.hint('b')
    vi.advanceTimersByTime(50)
    expect(reactions).toEqual(['a', 'b'])
    vi.advanceTimersByTime(500)
    expect(vi.getTimerCount()).toBe(0)
    pacer.hint('a')
    pacer.close()
    vi.advanceTimersByTime(1_000)
    expect(reactions).toEqual(['a', 'b'])
  })
})
