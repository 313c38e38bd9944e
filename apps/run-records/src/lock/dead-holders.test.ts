import { expect, test } from 'vitest'
import { createManualClock, settle } from '../testing/manual-clock.ts'
import { createSharedLocks } from '../testing/memory-lock-store.ts'
import { createLocks } from './locks.ts'
import { LOCK_TIMINGS } from './timings.ts'

function createHeld(isThere: boolean) {
  const shared = createSharedLocks()
  const clock = createManualClock()
  const row = { c1: [{ token: 't', holder: 'a', run: 'r', since: '2026-01-01T00:00:00.000Z' }], b1: 3 }
  shared.rows.set('default', row)
  if (isThere) shared.functions.add('a')
  let isSilent = false
  const locks = createLocks(shared.open({ losesAnswer: () => isSilent }), LOCK_TIMINGS, clock)
  return {
    ...{ clock, row, locks },
    isFree: async () => (await locks.look('default')) === undefined,
    spoil: () => void shared.rows.set('default', { c1: 'mine' }),
    fail() {
      isSilent = true
    },
  }
}

test('the claim of a process that is gone is ended when its beats have stood still for 15 s, and not before', async () => {
  const { clock, locks, isFree } = createHeld(false)
  const ending = locks.endDead('default', 1)
  await settle()
  await clock.advance(14_900)
  expect(await isFree()).toBe(false)
  await clock.advance(1000)
  expect(await ending).toBe(true)
  expect(await isFree()).toBe(true)
})

test('that of a process that lives is left to it at once', async () => {
  const { locks, isFree } = createHeld(true)
  expect(await locks.endDead('default', 1)).toBe(false)
  expect(await isFree()).toBe(false)
})

test('that of a process on another engine is left to it, since it goes on beating', async () => {
  const { clock, row, locks, isFree } = createHeld(false)
  const ending = locks.endDead('default', 1)
  await settle()
  await clock.advance(5000)
  row.b1 = 4
  await clock.advance(1000)
  expect(await ending).toBe(false)
  expect(await isFree()).toBe(false)
})

test('whoever has the lock by now is left alone', async () => {
  const { locks, isFree } = createHeld(false)
  expect(await locks.endDead('default', 7)).toBe(true)
  expect(await isFree()).toBe(false)
})

test('in a row that no lock can be no claim counts, and of a store that does not answer nobody knows', async () => {
  const { locks, fail, spoil } = createHeld(false)
  spoil()
  expect([await locks.counts('default', 1), await locks.endDead('default', 1)]).toEqual([false, true])
  fail()
  await expect(locks.counts('default', 1)).rejects.toThrow('no answer')
  await expect(locks.endDead('default', 1)).rejects.toThrow('no answer')
})
