import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSight, readKey, toKey } from './sight.ts'

describe('what a bridge sees', () => {
  it.each([
    [undefined, [], ['default']],
    [undefined, ['orders'], ['default', 'orders']],
    [undefined, ['default'], ['default']],
    [undefined, ['*'], ['default', 'orders', 'shop']],
    ['orders', [], ['orders']],
    ['orders', ['default'], ['default', 'orders']],
  ])('from %s with %j is %j', (own, shown, seen) => {
    const sight = createSight(own, () => shown)
    expect(['default', 'orders', 'shop'].filter((namespace) => sight.find(namespace))).toEqual(seen)
    expect(sight.find(sight.own)).toEqual({ namespace: undefined })
    expect(sight.find(undefined)).toEqual({ namespace: undefined })
    expect([sight.find(7), sight.find(null), sight.sees(sight.own)]).toEqual([undefined, undefined, false])
    expect(sight.isWide).toBe(seen.length > 1)
  })
})

describe('the key of a function', () => {
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom('\uffff', 'a', '::', '@')).map((parts) => parts.join('')),
  )
  const namespaces = fc.option(
    fc.string({ minLength: 1 }).filter((name) => !name.includes('\uffff')),
    { nil: undefined },
  )

  it('is read back, and is the id where the function is our own', () => {
    fc.assert(
      fc.property(namespaces, text, (namespace, id) => {
        expect(readKey(toKey({ namespace, id }))).toEqual({ namespace, id })
        if (!id.startsWith('\uffff')) expect(toKey({ namespace: undefined, id })).toBe(id)
      }),
    )
  })
})
