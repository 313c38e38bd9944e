import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLease } from './lease.ts'
import type { PartRow } from './store.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Bridges that share one row. */
function setUp() {
  let row: PartRow | undefined
  const store = {
    part: async () => row,
    async changePart(_: string, changes: ReadonlyMap<string, unknown>) {
      row = { ...row, ...Object.fromEntries(changes) }
    },
  }
  return () => createLease({ store, key: 'work', forMs: 30_000, atMostMs: 300_000, now: Date.now })
}

const hang = () => new Promise<void>(() => undefined)
const done = async () => undefined

describe('a lease', () => {
  it('is for one at a time, for as long as that takes', async () => {
    const create = setUp()
    let finish: () => void = () => undefined
    const first = create().run(() => new Promise<void>((resolve) => (finish = resolve)))
    await vi.advanceTimersByTimeAsync(100_000)
    const other = create()
    const work = vi.fn(done)
    expect(await other.run(work)).toBeGreaterThan(20_000)
    expect(work).not.toHaveBeenCalled()
    finish()
    expect(await first).toBe(0)
    expect([await other.run(work), work.mock.calls.length]).toEqual([0, 1])
  })

  it('of one that was killed is free within its seconds, and of one that hangs after minutes', async () => {
    const create = setUp()
    const [killed, hangs] = [create(), create()]
    void killed.run(hang)
    await vi.advanceTimersByTimeAsync(12_000)
    killed.close()
    const left = await hangs.run(done)
    expect(left).toBeLessThanOrEqual(30_000)
    await vi.advanceTimersByTimeAsync(left)
    void hangs.run(hang)
    await vi.advanceTimersByTimeAsync(290_000)
    expect(await create().run(done)).toBeGreaterThan(0)
    await vi.advanceTimersByTimeAsync(50_000)
    expect(await create().run(done)).toBe(0)
  })

  it('is given back when the work fails', async () => {
    const create = setUp()
    await expect(create().run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await create().run(done)).toBe(0)
  })
})
