import { describe, expect, it } from 'vitest'
import { suggestAmong } from './suggestion.ts'

describe('what there is', () => {
  it.each([
    ['x', [], 'there are none'],
    ['x', ['orders'], 'there is orders'],
    ['ordres', ['billing', 'orders'], 'there are 2: orders, billing'],
    ['zzz', ['a', 'b', 'c', 'd', 'e', 'f'], 'there are 6: a, b, c, d, e, …'],
  ])('instead of %j among %j: %s', (name, names, text) => {
    expect(suggestAmong(name, names)).toBe(text)
  })
})
