import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Grant } from '../principal.ts'
import { uniteGrants } from './unite-grants.ts'

const words = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'))
const orAll = fc.option(words, { nil: undefined })
const grants = fc.record<Grant>({
  name: fc.constantFrom('one', 'two'),
  tiers: orAll,
  scopes: words,
  skills: orAll,
  tools: fc.constantFrom('all', 'search', undefined),
  runs: fc.constantFrom('own', 'all'),
  management: fc.boolean(),
})

describe('grants', () => {
  const ops: Grant = {
    name: 'ops',
    tiers: ['ops'],
    scopes: ['a'],
    skills: undefined,
    tools: 'all',
    runs: 'all',
    management: true,
  }
  const staff: Grant = {
    name: 'staff',
    tiers: ['user'],
    scopes: ['b'],
    skills: ['x'],
    tools: 'search',
    runs: 'own',
    management: false,
  }

  it('give together what each of them gives', () => {
    expect(uniteGrants([staff, ops])).toEqual({ ...ops, name: 'staff+ops', tiers: ['user', 'ops'], scopes: ['b', 'a'] })
    expect(uniteGrants([staff])).toBe(staff)
    expect(uniteGrants([])).toBeUndefined()
  })

  it('never give less than one of them, and lists nothing that none has', () => {
    fc.assert(
      fc.property(fc.array(grants, { minLength: 1, maxLength: 4 }), (given) => {
        const all = uniteGrants(given)
        for (const word of ['a', 'b', 'c']) {
          expect(all?.scopes.includes(word)).toBe(given.some(({ scopes }) => scopes.includes(word)))
          for (const field of ['tiers', 'skills'] as const) {
            expect(all?.[field]?.includes(word) ?? true).toBe(given.some((one) => one[field]?.includes(word) ?? true))
          }
        }
        expect(all?.runs === 'all').toBe(given.some(({ runs }) => runs === 'all'))
        expect(all?.management).toBe(given.some(({ management }) => management))
      }),
    )
  })
})
