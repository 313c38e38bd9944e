import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shuffle } from './random.ts'
import type { LoseResult } from './rule.ts'
import type { Subject } from './rulebook.ts'
import { createRulebook } from './rulebook.ts'

const subjects = fc.array(
  fc.record({ functionId: fc.constantFrom('a::x', 'a::y', 'b::x'), workerName: fc.constantFrom('one', 'two') }),
  { maxLength: 60 },
)
const rules = fc.record<LoseResult>(
  {
    fault: fc.constant('lose-result'),
    function: fc.constantFrom('*', 'a::*', 'b::x'),
    chance: fc.constantFrom(0, 0.2, 0.5, 1),
    times: fc.integer({ min: 1, max: 20 }),
    skip: fc.nat(5),
  },
  { requiredKeys: ['fault'] },
)

/** Which of the occasions each of the rules takes. */
function strikes(seed: number, given: readonly LoseResult[], occasions: readonly Subject[]): boolean[][] {
  const book = createRulebook(seed, () => {})
  const armed = given.map((rule) => book.arm(rule))
  const taken = occasions.map((subject) => book.striking('lose-result', subject))
  return armed.map((entry) => taken.map((list) => list.some((other) => other === entry)))
}

describe('the rules in force', () => {
  it('do the same at the same occasions with the same seed', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(rules, { maxLength: 4 }), subjects, (seed, given, occasions) => {
        expect(strikes(seed, given, occasions)).toEqual(strikes(seed, given, occasions))
      }),
    )
  })

  it('are not changed by another rule', () => {
    fc.assert(
      fc.property(fc.nat(), rules, rules, subjects, (seed, rule, other, occasions) => {
        fc.pre(JSON.stringify(rule) !== JSON.stringify(other))
        expect(strikes(seed, [other, rule], occasions)[1]).toEqual(strikes(seed, [rule], occasions)[0])
      }),
    )
  })

  it('do not repeat themselves when the same rule comes again, nor with another seed', () => {
    const occasions = Array.from({ length: 64 }, () => ({ functionId: 'a::x' }))
    const half: LoseResult = { fault: 'lose-result', chance: 0.5 }
    const [first, again] = strikes(1, [half, half], occasions)
    expect(first).not.toEqual(again)
    expect(strikes(2, [half], occasions)[0]).not.toEqual(first)
    const share = (first ?? []).filter(Boolean).length
    expect(share).toBeGreaterThan(10)
    expect(share).toBeLessThan(54)
  })

  it('count what fits them: first those they let pass, then those they take', () => {
    const rule: LoseResult = { fault: 'lose-result', function: 'a::*', skip: 1, times: 2 }
    const occasions = ['a::1', 'b::1', 'a::2', 'b::2', 'a::3', 'a::4'].map((functionId) => ({ functionId }))
    expect(strikes(1, [rule], occasions)[0]).toEqual([false, false, true, false, true, false])
  })

  it.each([
    ['orders::*', 'orders::create', true],
    ['orders::*', 'my-orders::create', false],
    ['*', '', true],
    ['a.b', 'axb', false],
    ['*::get', 'state::get', true],
    ['a*c*e', 'abcde', true],
    ['(a|b)+', 'a', false],
  ])('take %j for a pattern: whether %j fits is %j', (pattern, functionId, fits) => {
    expect(strikes(1, [{ fault: 'lose-result', function: pattern }], [{ functionId }])).toEqual([[fits]])
  })

  it('know a worker by its name or its id, and a function without a worker by neither', () => {
    const occasions = [{ workerName: 'orders' }, { workerId: 'orders' }, {}]
    expect(strikes(1, [{ fault: 'lose-result', worker: 'ord*' }], occasions)).toEqual([[true, true, false]])
  })

  it('tell of each strike, and not of what they let pass', () => {
    const told: unknown[] = []
    const book = createRulebook(1, ({ functionId, worker }) => told.push([functionId, worker]))
    const entry = book.arm({ fault: 'lose-result', times: 1 })
    for (const functionId of ['a', 'b'])
      book.striking('lose-result', { functionId, workerId: 'id', workerName: 'name' })
    expect(told).toEqual([['a', 'name']])
    expect(entry.struck).toBe(1)
    expect(book.empty).toBe(false)
    book.disarm(entry)
    expect(book.empty).toBe(true)
  })

  it('draw whole numbers between the ends of a range', () => {
    const entry = createRulebook(1, () => {}).arm({ fault: 'delay-call', ms: [3, 6] })
    const drawn = new Set(Array.from({ length: 200 }, () => entry.draw([3, 6])))
    expect([...drawn].sort()).toEqual([3, 4, 5, 6])
    expect(entry.draw(0.5)).toBe(0.5)
  })

  it('shuffle without losing or doubling anything', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), fc.nat(), (items, seed) => {
        const { random } = createRulebook(seed, () => {}).arm({ fault: 'reorder' })
        expect(shuffle(items, random).sort()).toEqual([...items].sort())
      }),
    )
  })
})
