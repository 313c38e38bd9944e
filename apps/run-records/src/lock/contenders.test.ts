import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createManualClock } from '../testing/manual-clock.ts'
import { createSharedLocks } from '../testing/memory-lock-store.ts'
import { createLocks, type Locks } from './locks.ts'
import { LOCK_TIMINGS } from './timings.ts'

const PROCESSES = 3
/** Runs that each process wants at once. */
const WISHES = 2
const TRIES = 5

/** Runs contenders whose calls reach the store in whatever order the scheduler says, and which lose some answers. */
async function contendAll(
  scheduler: fc.Scheduler,
  losses: readonly boolean[],
): Promise<{ most: number; taken: number }> {
  const shared = createSharedLocks()
  const clock = createManualClock()
  const lost = [...losses]
  const inside = new Set<number>()
  let most = 0
  let taken = 0

  const startProcess = (number: number) => {
    const holder = `holder-${number}`
    shared.functions.add(holder)
    const store = shared.open({
      step: () => scheduler.schedule(Promise.resolve(), holder),
      losesAnswer: (call) => call === 'update' && (lost.pop() ?? false),
    })
    const locks = createLocks(store, LOCK_TIMINGS, clock)
    return Array.from({ length: WISHES }, (_, wish) => contend(locks, holder, number * WISHES + wish))
  }
  const contend = async (locks: Locks, holder: string, index: number) => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const got = await locks.acquire('default', { holder, run: `${tries}` }).catch(() => undefined)
      if (got === undefined || 'conflict' in got) continue
      inside.add(index)
      taken += 1
      most = Math.max(most, inside.size)
      // Others go on while it is at work.
      await scheduler.schedule(Promise.resolve(), 'work')
      const goesOn = await got.lease.confirm()
      if (goesOn) most = Math.max(most, inside.size)
      inside.delete(index)
      await got.lease.release()
    }
  }
  const all = Promise.all(Array.from({ length: PROCESSES }, (_, number) => startProcess(number)).flat())
  await scheduler.waitFor(all)
  return { most, taken }
}

test('there are never two holders, in whatever order calls arrive and whichever answers are lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 12 }), async (scheduler, losses) => {
      const { most, taken } = await contendAll(scheduler, losses)
      expect(most).toBe(1)
      expect(taken).toBeGreaterThan(0)
    }),
    { numRuns: 150 },
  )
})
