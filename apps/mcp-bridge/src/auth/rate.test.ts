import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRate } from './rate.ts'

const ALLOWED = { perSecond: 5, burst: 10 }

function createClock() {
  let time = 0
  const pass = (ms: number) => {
    time += ms
  }
  return { now: () => time, pass }
}

describe('the rate of requests', () => {
  it('lets a burst through at once, then as many as fill up again', () => {
    const clock = createClock()
    const rate = createRate(clock.now)
    const take = () => rate.take('a', ALLOWED)
    expect(Array.from({ length: 11 }, take)).toEqual([...Array(10).fill(undefined), 1])
    clock.pass(200)
    expect([take(), take()]).toEqual([undefined, 1])
    clock.pass(60_000)
    expect(Array.from({ length: 11 }, take)).toEqual([...Array(10).fill(undefined), 1])
  })

  it('counts each by itself', () => {
    const rate = createRate(createClock().now)
    for (let nth = 0; nth < 20; nth++) rate.take('a', ALLOWED)
    expect([rate.take('a', ALLOWED), rate.take('b', ALLOWED)]).toEqual([1, undefined])
  })

  it('names a wait that is enough, and never lets more through than the bucket and its filling hold', () => {
    const allowance = fc.record({
      perSecond: fc.double({ min: 0.01, max: 100, noNaN: true }),
      burst: fc.integer({ min: 1, max: 50 }),
    })
    const pauses = fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 100 })
    fc.assert(
      fc.property(allowance, pauses, (allowed, waits) => {
        const clock = createClock()
        const rate = createRate(clock.now)
        let let_in = 0
        for (const ms of waits) {
          clock.pass(ms)
          if (rate.take('a', allowed) === undefined) let_in++
        }
        expect(let_in).toBeLessThanOrEqual(allowed.burst + (clock.now() / 1_000) * allowed.perSecond + 1e-6)
        for (let seconds = rate.take('a', allowed); seconds !== undefined; seconds = undefined) {
          clock.pass(seconds * 1_000)
          expect(rate.take('a', allowed)).toBe(undefined)
        }
      }),
    )
  })

  it('remembers a bounded number, and forgets first whoever has asked for nothing the longest', () => {
    const rate = createRate(createClock().now)
    for (let nth = 0; nth < 30_000; nth++) {
      rate.take(`crowd ${nth}`, ALLOWED)
      if (nth % 1_000 === 0) rate.take('busy', ALLOWED)
    }
    expect(rate.size).toBe(10_000)
    expect(rate.take('busy', ALLOWED)).toBe(1)
  })
})
