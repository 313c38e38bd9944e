import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createClearance } from './clearance.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('whoever comes before anything is known waits, and goes on with what is told', async () => {
  const { now, forget, tell } = createClearance(2_000, () => undefined)
  const held = now.pending?.then(() => now.shut)
  tell('others ask')
  expect([await held, now.pending]).toEqual(['others ask', undefined])
  forget()
  const again = now.pending?.then(() => now.shut)
  tell(undefined)
  expect([await again, now.shut]).toEqual([undefined, undefined])
})

it('what is not known in time lets nobody in until it is, and is said once', async () => {
  const onLate = vi.fn<() => void>()
  const { now, begin, tell } = createClearance(2_000, onLate)
  const { pending } = now
  vi.advanceTimersByTime(10_000)
  expect(now.pending).toBe(pending)
  begin()
  vi.advanceTimersByTime(1_999)
  expect(now.pending).toBe(pending)
  begin()
  vi.advanceTimersByTime(1_999)
  expect(now.pending).toBe(pending)
  vi.advanceTimersByTime(1)
  await pending
  expect([now.pending, now.shut]).toEqual([undefined, expect.stringContaining('not known yet')])
  tell(undefined)
  vi.advanceTimersByTime(10_000)
  expect([now.shut, onLate.mock.calls.length]).toEqual([undefined, 1])
})

it('lets go of whoever waits when it is closed, and lets nobody in', async () => {
  const onLate = vi.fn<() => void>()
  const { now, begin, close } = createClearance(2_000, onLate)
  begin()
  const held = now.pending?.then(() => now.shut)
  close()
  expect(await held).toContain('not known yet')
  vi.advanceTimersByTime(10_000)
  expect(onLate).not.toHaveBeenCalled()
})
