import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countAncestors, inTreeOrder } from './tree.ts'

const ids = (...names: string[]) => names.map((id) => ({ id }))

describe('tree order', () => {
  it('puts children right after their parent, before siblings that only look like them', () => {
    const sorted = inTreeOrder(ids('a-b', 'a/b/c', 'b', 'a', 'a_b', 'a/b', 'a0'))
    expect(sorted.map((entry) => entry.id)).toEqual(['a', 'a/b', 'a/b/c', 'a-b', 'a0', 'a_b', 'b'])
  })

  it('keeps every subtree in one piece', () => {
    const segment = fc.stringMatching(/^[a-c_-]{1,2}$/)
    const id = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 30 }), (list) => {
        const sorted = inTreeOrder(ids(...list)).map((entry) => entry.id)
        for (const root of list) {
          const places = sorted.flatMap((other, place) =>
            other === root || other.startsWith(`${root}/`) ? [place] : [],
          )
          const first = places[0] ?? 0
          expect(sorted[first]).toBe(root)
          expect(places).toEqual(places.map((_, offset) => first + offset))
        }
      }),
    )
  })

  it('leaves the list that it was given as it was', () => {
    const list = ids('b', 'a')
    inTreeOrder(list)
    expect(list).toEqual(ids('b', 'a'))
  })
})

describe('ancestors', () => {
  it.each([
    ['a', [], 0],
    ['a/b/c', ['a', 'a/b'], 2],
    ['a/b/c', ['a'], 1],
    ['a/b/c', ['a/b'], 1],
    ['a/b/c', ['a/b/c', 'a/b/c/d', 'b'], 0],
    ['ab/c', ['a'], 0],
  ])('of %s among %j are %i', (id, known, count) => {
    expect(countAncestors(id, new Set(known))).toBe(count)
  })
})
