import { expect, test } from 'vitest'
import { createManualClock, settle } from '../testing/manual-clock.ts'
import { createSharedLocks } from '../testing/memory-lock-store.ts'
import type { LockLease } from './lease.ts'
import { type Acquired, createLocks } from './locks.ts'
import { LOCK_TIMINGS } from './timings.ts'

function createStage() {
  const shared = createSharedLocks()
  const clock = createManualClock()
  return {
    shared,
    clock,
    join(holder: string) {
      shared.functions.add(holder)
      const fate = { losesNext: 0, isAway: false, isFrozen: false }
      const store = shared.open({
        step: () => (fate.isFrozen ? new Promise(() => {}) : Promise.resolve()),
        losesAnswer: (call) => {
          if (call !== 'update' || fate.losesNext === 0) return fate.isAway
          fate.losesNext -= 1
          return true
        },
      })
      const locks = createLocks(store, LOCK_TIMINGS, clock)
      return {
        locks,
        store,
        fate,
        take: (waitMs = 0) => locks.acquire('default', { holder, run: `run-${holder}` }, { waitMs }),
      }
    },
  }
}

function leaseOf(acquired: Acquired): LockLease {
  if ('lease' in acquired) return acquired.lease
  throw new Error(`held by ${acquired.conflict.holder}`)
}

test('one has the lock, and others are told at once who', async () => {
  const { join } = createStage()
  const [a, b] = [join('a'), join('b')]
  const lease = leaseOf(await a.take())
  expect(lease.generation).toBe(1)
  expect(await b.take()).toMatchObject({ conflict: { holder: 'a', run: 'run-a', generation: 1, isGone: false } })
  await lease.release()
  expect(leaseOf(await b.take()).generation).toBe(2)
})

test('the row stays at the keys of two generations', async () => {
  const { shared, join } = createStage()
  const a = join('a')
  for (let round = 0; round < 20; round += 1) await leaseOf(await a.take()).release()
  expect(Object.keys(shared.rows.get('default') ?? {}).sort()).toEqual(['c19', 'c20', 'e19', 'e20'])
})

test('who waits gets it when it is given back', async () => {
  const { clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  const lease = leaseOf(await a.take())
  const waiting = b.take(60_000)
  await clock.advance(30_000)
  await lease.release()
  await clock.advance(1000)
  expect(leaseOf(await waiting).generation).toBe(2)
})

test('who has to wait is told once for whom, and who has not is told nothing', async () => {
  const { clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  const told: string[] = []
  const want = (holder: string, waitMs: number) =>
    b.locks.acquire('default', { holder, run: 'r' }, { waitMs, onWaiting: ({ run }) => void told.push(run) })
  const lease = leaseOf(await a.take())
  await want('b', 0)
  expect(told).toEqual([])
  const waiting = want('b', 60_000)
  await clock.advance(5000)
  await lease.release()
  await clock.advance(1000)
  leaseOf(await waiting)
  expect(told).toEqual(['run-a'])
})

test('who waits in vain is told who has it', async () => {
  const { clock, join } = createStage()
  leaseOf(await join('a').take())
  const waiting = join('b').take(10_000)
  await clock.advance(10_000)
  expect(await waiting).toMatchObject({ conflict: { holder: 'a' } })
})

test('a dead holder is succeeded when its function is gone and its beats have stood still for 15 s', async () => {
  const { shared, clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  leaseOf(await a.take())
  shared.functions.delete('a')
  a.fate.isFrozen = true
  expect(await b.take()).toMatchObject({ conflict: { isGone: true } })
  const dead: string[] = []
  const acquire = (waitMs: number) =>
    b.locks.acquire('default', { holder: 'b', run: 'r' }, { waitMs, onTakenOver: ({ run }) => void dead.push(run) })
  await clock.advance(14_900)
  expect(await acquire(0)).toMatchObject({ conflict: { isGone: true } })
  const waiting = acquire(5000)
  await clock.advance(1000)
  expect(leaseOf(await waiting).generation).toBe(2)
  expect(dead).toEqual(['run-a'])
})

test('a frozen holder keeps the lock as long as its function is there', async () => {
  const { clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  leaseOf(await a.take())
  a.fate.isFrozen = true
  const waiting = b.take(60_000)
  await clock.advance(60_000)
  expect(await waiting).toMatchObject({ conflict: { isGone: false } })
})

test('a holder whose function is gone for a moment keeps it, since it goes on beating', async () => {
  const { shared, clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  const lease = leaseOf(await a.take())
  shared.functions.delete('a')
  const waiting = b.take(60_000)
  await clock.advance(60_000)
  expect(await waiting).toMatchObject({ conflict: { holder: 'a' } })
  expect(await lease.confirm()).toBe(true)
})

test('a holder that wakes up after it was succeeded starts nothing more, and its release is without effect', async () => {
  const { shared, clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  const old = leaseOf(await a.take())
  await b.locks.unlock('default')
  const lease = leaseOf(await b.take())
  await clock.advance(5000)
  expect(old.lost.aborted).toBe(true)
  expect(await old.confirm()).toBe(false)
  const before = structuredClone(shared.rows.get('default'))
  await old.release()
  expect(shared.rows.get('default')).toEqual(before)
  expect(await lease.confirm()).toBe(true)
})

test('nothing starts on a beat that is older than 5 s, and a new one is asked for', async () => {
  const { clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  const lease = leaseOf(await a.take())
  a.fate.isAway = true
  await clock.advance(5000)
  await b.locks.unlock('default')
  a.fate.isAway = false
  expect(await lease.confirm()).toBe(false)
})

test('a beat of another connection does not count', async () => {
  const { join } = createStage()
  const a = join('a')
  const lease = leaseOf(await a.take())
  await join('b').locks.unlock('default')
  a.store.connection = 'c2'
  expect(await lease.confirm()).toBe(false)
})

test('while the store does not answer nothing is confirmed, and given up when who asks gives up', async () => {
  const { clock, join } = createStage()
  const a = join('a')
  const lease = leaseOf(await a.take())
  a.fate.isAway = true
  await clock.advance(5000)
  const stop = new AbortController()
  const asked = lease.confirm(stop.signal)
  await clock.advance(5000)
  stop.abort()
  await settle()
  expect(await asked).toBe(false)
  expect(lease.lost.aborted).toBe(false)
})

test('state that was wiped is a lost lock, for whoever had it', async () => {
  const { shared, clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  await leaseOf(await a.take()).release()
  const lease = leaseOf(await a.take())
  shared.rows.clear()
  await clock.advance(5000)
  expect(lease.lost.aborted).toBe(true)
  const next = leaseOf(await b.take())
  await lease.release()
  expect(await next.confirm()).toBe(true)
  expect(next.generation).toBe(1)
})

test('a release that arrives after the state was wiped ends nothing of the new holder', async () => {
  const { shared, join } = createStage()
  const [a, b, c] = [join('a'), join('b'), join('c')]
  const old = leaseOf(await a.take())
  shared.rows.clear()
  const lease = leaseOf(await b.take())
  await old.release()
  expect(await c.take()).toMatchObject({ conflict: { holder: 'b', generation: 1 } })
  expect(await lease.confirm()).toBe(true)
  await lease.release()
  expect(leaseOf(await c.take()).generation).toBe(2)
})

test('a claim whose answer is lost counts all the same', async () => {
  const { join } = createStage()
  const a = join('a')
  a.fate.losesNext = 1
  const lease = leaseOf(await a.take())
  expect(await lease.confirm()).toBe(true)
})

test('a claim that counted while nobody could tell is ended by its own process', async () => {
  const { shared, clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  const taking = a.take()
  await Promise.resolve()
  a.fate.isAway = true
  await expect(taking).rejects.toThrow('no answer')
  shared.rows.set('default', { c1: [{ token: 't', holder: 'a', run: 'r', since: '2026-01-01T00:00:00.000Z' }] })
  expect(await b.take()).toMatchObject({ conflict: { holder: 'a' } })
  a.fate.isAway = false
  await clock.advance(5000)
  expect(leaseOf(await a.take()).generation).toBe(2)
})

test('a release whose answer is lost is made again, and never takes the lock from the next', async () => {
  const { clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  const lease = leaseOf(await a.take())
  a.fate.losesNext = 1
  await lease.release()
  const next = leaseOf(await b.take())
  await clock.advance(20_000)
  expect(await next.confirm()).toBe(true)
})

test('a lock whose connection is lost as its run ends is free a moment after the store answers again', async () => {
  const { clock, join } = createStage()
  const [a, b] = [join('a'), join('b')]
  const lease = leaseOf(await a.take())
  a.store.connection = undefined
  a.fate.isAway = true
  await lease.release()
  await clock.advance(2000)
  expect(await b.take()).toMatchObject({ conflict: { holder: 'a' } })
  a.fate.isAway = false
  await clock.advance(500)
  expect(leaseOf(await b.take()).generation).toBe(2)
})

const CLAIM = { token: 't', holder: 'a', run: 'r', since: '2026-01-01T00:00:00.000Z' }

test.each([
  'mine',
  [{ ...CLAIM, run: '$(reboot)' }],
  [{ ...CLAIM, holder: 'a'.repeat(200) }],
  [{ ...CLAIM, since: 'long ago, so call me' }],
])('a row that somebody else wrote is refused with what to do, and unlock mends it: %j', async (claims) => {
  const { shared, join } = createStage()
  const a = join('a')
  shared.rows.set('default', { c1: claims })
  await expect(a.take()).rejects.toThrow('iii-runs unlock default')
  await a.locks.unlock('default')
  expect(leaseOf(await a.take()).generation).toBe(1)
})
