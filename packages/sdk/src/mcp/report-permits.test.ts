import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createPermits } from './report-permits.ts'

it('lets some go at once, and then one for each while', () => {
  let now = 0
  const permits = createPermits({ atOnce: 2, everyMs: 10, now: () => now })
  expect([permits.take(), permits.take(), permits.take()]).toEqual([0, 0, 10])
  now = 9
  expect(permits.take()).toBe(1)
  now = 10
  expect([permits.take(), permits.take()]).toEqual([0, 10])
  now = 1000
  expect([permits.take(), permits.take(), permits.take()]).toEqual([0, 0, 10])
})

it('never lets more go than that, however often it is asked, and lets go when it said it would', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 30 })), (pauses) => {
      let now = 0
      let gone = 0
      const permits = createPermits({ atOnce: 3, everyMs: 10, now: () => now })
      for (const pause of pauses) {
        now += pause
        const wait = permits.take()
        if (wait === 0) gone++
        else now += wait
        if (wait > 0) expect(permits.take()).toBe(0)
        if (wait > 0) gone++
        expect(gone).toBeLessThanOrEqual(3 + now / 10)
      }
    }),
  )
})
