import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createManualClock } from '../testing/manual-clock.ts'
import { createSharedLocks } from '../testing/memory-lock-store.ts'
import { createLocks } from './locks.ts'
import { LOCK_TIMINGS } from './timings.ts'

const CONTENDERS = 4
const TRIES = 5

/** Runs contenders whose calls reach the store in whatever order the scheduler says, and which lose some answers. */
async function contend(scheduler: fc.Scheduler, losses: readonly boolean[]): Promise<{ most: number; taken: number }> {
  const shared = createSharedLocks()
  const clock = createManualClock()
  const lost = [...losses]
  const inside = new Set<number>()
  let most = 0
  let taken = 0

  const contender = async (index: number) => {
    const holder = `holder-${index}`
    shared.functions.add(holder)
    const store = shared.open({
      step: () => scheduler.schedule(Promise.resolve(), holder),
      losesAnswer: (call) => call === 'update' && (lost.pop() ?? false),
    })
    const locks = createLocks(store, LOCK_TIMINGS, clock)
    for (let tries = 0; tries < TRIES; tries += 1) {
      const got = await locks.acquire('default', { holder, run: `${tries}` }).catch(() => undefined)
      if (got === undefined || 'conflict' in got) continue
      inside.add(index)
      taken += 1
      most = Math.max(most, inside.size)
      const goesOn = await got.lease.confirm()
      if (goesOn) most = Math.max(most, inside.size)
      inside.delete(index)
      await got.lease.release()
    }
  }
  const all = Promise.all(Array.from({ length: CONTENDERS }, (_, index) => contender(index)))
  await scheduler.waitFor(all)
  return { most, taken }
}

test('there are never two holders, in whatever order calls arrive and whichever answers are lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 12 }), async (scheduler, losses) => {
      const { most, taken } = await contend(scheduler, losses)
      expect(most).toBe(1)
      expect(taken).toBeGreaterThan(0)
    }),
    { numRuns: 150 },
  )
})
