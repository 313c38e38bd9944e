import { expect, it } from 'vitest'
import { createManualClock, settle } from '../testing/manual-clock.ts'
import { createStartGate } from './start-gate.ts'

it('lets so many start at a time, in their order, and forgets those that do not want to any more', async () => {
  const gate = createStartGate(createManualClock(), 2)
  const order: number[] = []
  const leave = new Map<number, () => void>()
  const controllers = [1, 2, 3, 4, 5].map((nth) => {
    const controller = new AbortController()
    void gate.enter(controller.signal).then((left) => {
      if (left === undefined) return
      order.push(nth)
      leave.set(nth, left)
    })
    return controller
  })
  await settle()
  expect(order).toEqual([1, 2])
  controllers[2]?.abort()
  leave.get(2)?.()
  leave.get(2)?.()
  await settle()
  expect(order).toEqual([1, 2, 4])
  leave.get(1)?.()
  await settle()
  expect(order).toEqual([1, 2, 4, 5])
  expect(await gate.enter(AbortSignal.abort())).toBeUndefined()
})

it('keeps nobody waiting for those that start and start', async () => {
  const clock = createManualClock()
  const gate = createStartGate(clock, 1)
  const { signal } = new AbortController()
  const leave = await gate.enter(signal)
  const next = gate.enter(signal)
  const last = gate.enter(signal)
  await clock.advance(3_000)
  expect(await next).toBeDefined()
  // That was the place of nobody any more.
  leave?.()
  expect(await Promise.race([last, settle()])).toBeUndefined()
  await clock.advance(3_000)
  expect(await last).toBeDefined()
})
