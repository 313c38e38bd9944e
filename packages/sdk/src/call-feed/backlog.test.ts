import { expect, it } from 'vitest'
import { createBacklog } from './backlog.ts'
import type { Entry } from './entry.ts'

const entry = (at: number, input?: string): Entry => ({
  record: { call_id: `c${at}` } as Entry['record'],
  endedAt: at * 1000,
  input,
  inputBytes: input?.length ?? 0,
})
const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const ids = (taken: { entries: readonly Entry[] }) => taken.entries.map(({ record }) => record.call_id)

it('what comes when too many wait is counted, and told with the next ones', () => {
  const backlog = createBacklog({ waiting: 2, inputBytes: 10 })
  for (const second of [1, 2, 3, 4]) backlog.add(entry(second), false)
  const taken = backlog.take(1)
  expect([ids(taken), taken.gap]).toEqual([['c1'], { dropped: 2, since: at(3), until: at(4) }])
  expect(backlog.take(5)).toMatchObject({ entries: [{ endedAt: 2000 }], gap: undefined })
})

it('arguments wait only where they are wanted and as long as there is room', () => {
  const backlog = createBacklog({ waiting: 9, inputBytes: 5 })
  for (const [input, wanted] of [
    ['abc', true],
    ['abc', true],
    ['ab', false],
    ['ab', true],
  ] as const) {
    backlog.add(entry(1, input), wanted)
  }
  expect(backlog.take(9).entries.map(({ input }) => input)).toEqual(['abc', undefined, undefined, 'ab'])
  backlog.add(entry(2, 'abcde'), true)
  expect(backlog.take(1).entries[0]?.input).toBe('abcde')
})

it('what could not be told comes again first, and what nobody took is missing', () => {
  const backlog = createBacklog({ waiting: 3, inputBytes: 9 })
  for (const second of [1, 2, 3, 4]) backlog.add(entry(second, 'abc'), true)
  const first = backlog.take(2)
  backlog.putBack(first)
  backlog.add(entry(5), true)
  const again = backlog.take(2)
  expect([ids(again), again.gap]).toEqual([['c1', 'c2'], { dropped: 2, since: at(4), until: at(5) }])
  backlog.lose(again)
  expect(backlog.take(1).gap).toEqual({ dropped: 4, since: at(4), until: at(2) })
  backlog.clear()
  expect(backlog.size).toBe(0)
})
