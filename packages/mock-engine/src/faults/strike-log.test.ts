import { expect, it } from 'vitest'
import { createStrikeLog } from './strike-log.ts'

it('tells of each rule once a second, and how often it struck in between', () => {
  const said: string[] = []
  let now = 0
  const log = createStrikeLog(
    (line) => said.push(line),
    () => now,
  )
  const lost = { rule: { fault: 'lose-result', times: 9 }, functionId: 'a::b', worker: 'orders' } as const
  log(lost)
  now = 500
  log(lost)
  log({ rule: { fault: 'restart', everyMs: 5 }, functionId: undefined, worker: undefined })
  log(lost)
  now = 1000
  log(lost)
  expect(said).toEqual([
    'fault lose-result times=9 struck: a::b, worker orders',
    'fault restart everyMs=5 struck',
    'fault lose-result times=9 struck: a::b, worker orders (and 2 times since the last line)',
  ])
})
