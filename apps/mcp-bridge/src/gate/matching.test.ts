import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toMatching } from './unknown-name.ts'

describe('what fits', () => {
  it('comes with what begins so first, in any case', () => {
    const ids = ['mail::orders', 'orders::create', 'Orders::cancel', 'users::list']
    expect(toMatching(ids, 'ORD')).toEqual(['orders::create', 'Orders::cancel', 'mail::orders'])
    expect(toMatching(ids, '')).toEqual(ids)
    expect(toMatching(ids, 'nothing')).toEqual([])
  })

  it('is each value that has what was typed, once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.string({ maxLength: 2 }), (values, typed) => {
        const fitting = values.filter((value) => value.toLowerCase().includes(typed.toLowerCase()))
        expect(toMatching(values, typed).toSorted()).toEqual(fitting.toSorted())
      }),
    )
  })
})
