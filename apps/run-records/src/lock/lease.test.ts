import { InvocationError } from '@iii/sdk'
import { expect, test } from 'vitest'
import { createManualClock, settle } from '../testing/manual-clock.ts'
import { createSharedLocks } from '../testing/memory-lock-store.ts'
import { startLease } from './lease.ts'
import type { LockStore } from './lock-store.ts'
import { createLocks } from './locks.ts'
import { LOCK_TIMINGS } from './timings.ts'

test('who gives up waits for no answer of a store that gives none', async () => {
  const silent = () => new Promise<never>(() => undefined)
  const store: LockStore = { read: silent, update: silent, clear: silent, hasFunction: silent, connection: undefined }
  const lease = startLease({
    ...{ store, timings: LOCK_TIMINGS, clock: createManualClock(), name: 'default', generation: 1, token: 't' },
    row: { generation: 1, held: undefined, keys: new Map() },
    claimed: { at: 0, on: 'c1' },
  })
  const stop = new AbortController()
  let answer: boolean | undefined
  void lease.confirm(stop.signal).then((given) => {
    answer = given
  })
  await settle()
  expect(answer).toBeUndefined()
  stop.abort()
  await settle()
  expect(answer).toBe(false)
})

test.each([
  ['is given back once it answers again', 'TIMEOUT', undefined],
  ['is left where the connection was closed for good', 'closed', 'runs::holder-a'],
])('a lock that is released while the store does not answer %s', async (_, code, holder) => {
  const clock = createManualClock()
  const shared = createSharedLocks().open()
  let isAway = false
  const store: LockStore = {
    ...shared,
    update: (name, ops) =>
      isAway ? Promise.reject(new InvocationError(code, 'no answer', name)) : shared.update(name, ops),
  }
  const got = await createLocks(store, LOCK_TIMINGS, clock).acquire('default', { holder: 'runs::holder-a', run: 'r1' })
  if (!('lease' in got)) throw new Error('nobody else wants it')
  isAway = true
  await got.lease.release()
  await clock.advance(3 * LOCK_TIMINGS.beatEveryMs)
  expect((await store.read('default'))?.held?.holder).toBe('runs::holder-a')
  isAway = false
  await clock.advance(2 * LOCK_TIMINGS.beatEveryMs)
  expect((await store.read('default'))?.held?.holder).toBe(holder)
})
