import { expect, test } from 'vitest'
import { createManualClock, settle } from '../testing/manual-clock.ts'
import { startLease } from './lease.ts'
import type { LockStore } from './lock-store.ts'
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
