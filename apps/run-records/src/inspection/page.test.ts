import fc from 'fast-check'
import { expect, it } from 'vitest'
import { requirePlace, selectIds, toNext } from './page.ts'

it('goes on behind the last one of a page, whatever comes and goes meanwhile', () => {
  const names = fc.uniqueArray(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 2 })
  fc.assert(
    fc.property(names, fc.nat(), (ids, at) => {
      const sorted = selectIds(ids)
      const shown = 1 + (at % (sorted.length - 1))
      const { cursor = '' } = toNext('task', sorted, shown)
      const left = sorted.filter((_, index) => index !== shown - 1)
      expect(selectIds(left, '', requirePlace(cursor, ['task', 'job']))).toEqual(sorted.slice(shown))
    }),
  )
})

it.each(['nonsense', 'orders::chart', '', btoa('task '), btoa('calf a'), `${btoa('task a::b')}A`])(
  'is no cursor: %j',
  (cursor) => {
    expect(() => requirePlace(cursor, ['task', 'job'])).toThrow('must be the cursor that a list has given')
  },
)

it('is of the same kind of list', () => {
  const { cursor = '' } = toNext('job', ['first', 'second'], 1)
  expect(requirePlace(cursor, ['job'])).toEqual({ kind: 'job', last: 'first' })
  expect(() => requirePlace(cursor, ['task'])).toThrow('must be the cursor that a list has given')
})
