import { InvocationError, type UpdateOp } from '@iii/sdk'
import { expect, test } from 'vitest'
import { createManualClock } from '../testing/manual-clock.ts'
import { createSharedLocks } from '../testing/memory-lock-store.ts'
import { claimGeneration } from './claim.ts'
import type { LockStore } from './lock-store.ts'
import { LOCK_TIMINGS } from './timings.ts'

test('a claim that nobody answers is sent five times, and ended should one of them arrive later', async () => {
  const clock = createManualClock()
  const shared = createSharedLocks().open()
  const sent: (readonly UpdateOp[])[] = []
  const store: LockStore = {
    ...shared,
    update(name, ops) {
      sent.push(ops)
      return Promise.reject(new InvocationError('TIMEOUT', 'no answer', name))
    },
  }
  const parts = { store, timings: LOCK_TIMINGS, clock, name: 'default' }
  const claim = { token: 't', holder: 'runs::holder-a', run: 'r1', since: new Date(0).toISOString() }
  const open = { generation: 1, held: undefined, keys: new Map() }
  await expect(claimGeneration(parts, open, claim)).rejects.toThrow('no answer')
  expect(sent).toHaveLength(5)
  expect((await shared.update('default', sent[0] ?? []))?.held?.run).toBe('r1')
  store.update = shared.update
  await clock.advance(2 * LOCK_TIMINGS.beatEveryMs)
  expect(await store.read('default')).toMatchObject({ generation: 2, held: undefined })
})
