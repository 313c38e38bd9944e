import { describe, expect, it } from 'vitest'
import { createHoldings } from './holdings.ts'
import type { Holder } from './look.ts'

const twin: Holder = { instance: 'theirs', workerName: 'twin' }
const nameless: Holder = { instance: undefined, workerName: 'plain' }
const note = (holdings: ReturnType<typeof createHoldings>, held: Record<string, Holder>) =>
  holdings.note(new Map(Object.entries(held)))

describe('what is known of our functions', () => {
  it('is missing when nobody has it, again and again once it was there', () => {
    const holdings = createHoldings({ isRefused: (id) => id === 'refused' })
    note(holdings, { a: 'us', b: twin, c: 'unknown' })
    note(holdings, { a: 'nobody', b: 'nobody', c: 'unknown' })
    for (let tries = 0; tries < 5; tries++) {
      expect(holdings.missing(['a', 'b', 'c', 'd'])).toEqual(['a', 'b'])
      holdings.tried(['a', 'b'])
    }
  })

  it('is not missing for ever when it never appears: this engine calls it something else, or does not take it', () => {
    const holdings = createHoldings({ isRefused: (id) => id === 'refused' })
    note(holdings, { a: 'nobody' })
    expect([holdings.missing(['a']), holdings.wasThere('a')]).toEqual([['a'], false])
    holdings.tried(['a'])
    holdings.tried(['a'])
    expect(holdings.missing(['a'])).toEqual([])
    holdings.clear()
    note(holdings, { a: 'nobody' })
    expect(holdings.missing(['a'])).toEqual(['a'])
  })

  it('is lost to a nonce of others, and to somebody without one only when it was ours or refused', () => {
    const holdings = createHoldings({ isRefused: (id) => id === 'refused' })
    note(holdings, { a: twin, b: nameless, c: 'us' })
    expect([...holdings.lost(['a', 'b', 'c']).keys()]).toEqual(['a'])
    note(holdings, { refused: nameless })
    expect([...holdings.lost(['refused']).keys()]).toEqual(['refused'])
    note(holdings, { b: 'us', c: nameless })
    expect([...holdings.lost(['a', 'b', 'c']).keys()]).toEqual(['a', 'c'])
    expect(holdings.isOurs('b')).toBe(true)
  })

  it('is asked for in one call: what is lost first, the others in turn', () => {
    const holdings = createHoldings({ isRefused: (id) => id === 'refused' })
    const few = ['a', 'b', 'c']
    expect(holdings.pick(few)).toEqual(few)
    const ids = Array.from({ length: 100 }, (_, at) => `f${at}`)
    const lost = ids.slice(90)
    note(holdings, Object.fromEntries(lost.map((id) => [id, twin])))
    const looks = Array.from({ length: 5 }, () => holdings.pick(ids))
    for (const look of looks) {
      expect(look).toHaveLength(32)
      expect(look.slice(0, 10)).toEqual(lost)
    }
    expect(new Set(looks.flat())).toEqual(new Set(ids))
  })
})
