import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRunId, isRunId, toCreationTime } from './run-id.ts'

test('ids have the form of a ULID and tell when they were made', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (now) => {
      const id = createRunId(now)
      expect(isRunId(id)).toBe(true)
      expect(toCreationTime(id)).toBe(now)
    }),
  )
})

test('ids sort in the order in which they were made, also within a millisecond', () => {
  const ids = [5, 5, 5, 6, 6, 7].map((now) => createRunId(now))
  expect([...ids].sort()).toEqual(ids)
})

test.each([
  '',
  '01ARZ3NDEKTSV4RRFFQ69G5FA',
  '../01ARZ3NDEKTSV4RRFFQ69G5F',
  '01arz3ndektsv4rrffq69g5fav',
  '81ARZ3NDEKTSV4RRFFQ69G5FAV',
])('%j is no run id', (text) => expect(isRunId(text)).toBe(false))
