import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDigests } from '../record/digests.ts'
import { findDifference } from './difference.ts'
import { toLeaves } from './leaves.ts'

const digests = createDigests('a key')
const differ = (before: unknown, after: unknown) => findDifference(toLeaves(before, digests), toLeaves(after, digests))
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)

describe('the difference of two inputs', () => {
  it('is told by JSON pointers', () => {
    expect(differ({ day: 1, of: { a: 1, b: 2 }, gone: 0 }, { day: 2, of: { a: 1, b: 3 }, new: 0 })).toEqual({
      added: ['/new'],
      removed: ['/gone'],
      changed: ['/day', '/of/b'],
    })
    expect(differ({ list: [1, 2], 'a/b~c': 1 }, { list: [1, 3, 4], 'a/b~c': 2 })).toEqual({
      added: ['/list/2'],
      removed: [],
      changed: ['/a~1b~0c', '/list/1'],
    })
  })

  it.each([
    [{ a: 1 }, { a: { b: 1 } }, ['/a']],
    [{ a: { b: 1, c: 2 } }, { a: 1 }, ['/a']],
    [{ a: {} }, { a: { b: 1 } }, ['/a']],
    [{ a: {} }, { a: [] }, ['/a']],
    ['x', 'y', ['']],
  ])('names the part that changed its kind: %j and %j', (before, after, changed) => {
    expect(differ(before, after)).toEqual({ added: [], removed: [], changed })
  })

  it('begins at nothing', () => {
    expect(differ({}, { day: 1 })).toEqual({ added: ['/day'], removed: [], changed: [] })
    expect(differ({ day: 1 }, {})).toEqual({ added: [], removed: ['/day'], changed: [] })
  })

  it('takes what is large as one', () => {
    const many = (last: number) => ({ id: 1, many: Array.from({ length: 2000 }, (_, at) => (at === 1999 ? last : at)) })
    expect(differ(many(1), many(2))).toEqual({ added: [], removed: [], changed: ['/many'] })
    const some = { id: 1, many: [1, 2] }
    expect(differ(some, many(2))).toEqual({ added: [], removed: [], changed: ['/many'] })
    expect(Object.keys(toLeaves({ ['k'.repeat(9000)]: 1 }, digests))).toEqual([''])
  })

  it('of equal values is empty, and of others is not', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const { added, removed, changed } = differ(a, b)
        const found = [...added, ...removed, ...changed]
        expect(differ(a, a)).toEqual({ added: [], removed: [], changed: [] })
        expect(new Set(found).size).toBe(found.length)
        const isNothing = (value: unknown) =>
          typeof value === 'object' && value !== null && Object.keys(value).length === 0
        if (digests.digest(a) !== digests.digest(b) && !(isNothing(a) && isNothing(b))) expect(found).not.toEqual([])
      }),
    )
  })

  it('holds no value', () => {
    expect(JSON.stringify(toLeaves({ a: 'hunter2', b: ['hunter2'] }, digests))).not.toContain('hunter2')
    expect(toLeaves({ a: 1 }, createDigests('another key'))).not.toEqual(toLeaves({ a: 1 }, digests))
  })
})
