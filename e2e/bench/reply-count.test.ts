import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { countReplies } from './reply-count.ts'

const never = new Promise<void>(() => undefined)

it('tells calls that are answered, late, failed and never answered apart', async () => {
  let calls = 0
  const outcomes = [() => Promise.resolve(), () => never, () => pause(60), () => Promise.reject(new Error('gone'))]
  const run = () => outcomes[calls++ % 4]?.() ?? never
  const options = { count: 20, inFlight: 4, endsAt: Infinity, deadlineMs: 20, graceMs: 200 }
  const [tally] = await countReplies([{ name: 'worker', run }], options, () => undefined)
  expect(tally).toMatchObject({ calls: 20, answered: 10, late: 5 })
})

it('ends when its time is over, whatever is counted by then', async () => {
  const options = { count: 20, inFlight: 4, endsAt: performance.now() + 10, deadlineMs: 20, graceMs: 20 }
  const [tally] = await countReplies([{ name: 'worker', run: () => never }], options, () => undefined)
  expect(tally).toMatchObject({ calls: 4, answered: 0 })
})
