import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findHolder } from './lease.ts'

const ms = 1_000

describe('the claims on a key', () => {
  it.each([
    { claims: [], holder: undefined, what: 'none' },
    { claims: [{ id: 'a', ms }], holder: 'a', what: 'the first on a free key' },
    {
      claims: [
        { id: 'a', ms },
        { id: 'b', ms },
      ],
      holder: 'a',
      what: 'two who found it free',
    },
    {
      claims: [
        { id: 'a', ms },
        { id: 'b', after: 'a', ms },
        { id: 'c', after: 'a', ms },
      ],
      holder: 'b',
      what: 'two who found the same one overdue',
    },
    { claims: [{ id: 'b', after: 'gone', ms }], holder: undefined, what: 'one that came late for a row that is gone' },
    {
      claims: [
        { id: 'b', after: 'gone', ms },
        { id: 'c', ms },
      ],
      holder: 'c',
      what: 'a claim on a free key behind it',
    },
    { claims: ['x', 7, null, { id: 'a', ms }], holder: 'a', what: 'entries that are none' },
  ])('agree on the holder: $what', ({ claims, holder }) => {
    expect(findHolder({ claims })?.id).toBe(holder)
  })

  it.each([undefined, null, 'x', [], {}, { claims: 'x' }])('of a row that is none have no holder: %j', (row) => {
    expect(findHolder(row)).toBeUndefined()
  })

  it('cannot ask for longer than anybody may hold it', () => {
    expect(findHolder({ claims: [{ id: 'a', ms: 9e12 }] })?.ms).toBe(600_000)
  })

  it('never take a key from its holder unless they follow it', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd')
    const claim = fc.record({ id, after: fc.option(id, { nil: undefined }), ms: fc.constant(ms) })
    fc.assert(
      fc.property(fc.array(claim), claim, (claims, last) => {
        const before = findHolder({ claims })
        const after = findHolder({ claims: [...claims, last] })
        expect(after?.id).toBe(before?.id === last.after ? last.id : before?.id)
      }),
    )
  })
})
