import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHolder } from '../testing/principals.ts'
import { EVERYBODY } from './principal.ts'
import { createPerView, toViewKey } from './view.ts'

describe('the key of a view', () => {
  it('is one for all whom no grant narrows', () => {
    const others = (['stdio', 'bus'] as const).map((method) => toViewKey({ ...EVERYBODY, id: method, method }))
    expect(others).toEqual([toViewKey(EVERYBODY), toViewKey(EVERYBODY)])
  })

  it('is the same for the same rights, whoever has them and in whatever order they are written', () => {
    const one = toHolder('a', { tiers: ['user', 'ops'], scopes: ['x', 'y'] }, { scopes: ['s', 't'] })
    const other = toHolder('b', { tiers: ['ops', 'user'], scopes: ['y', 'x', 'x'] }, { scopes: ['t', 's'] })
    expect(toViewKey(one)).toBe(toViewKey(other))
  })

  it.each([
    ['tiers', toHolder('a', { tiers: ['user'] })],
    ['no tiers at all', toHolder('a', { tiers: [] })],
    ['scopes of the grant', toHolder('a', { scopes: ['x'] })],
    ['scopes of the token', toHolder('a', {}, { scopes: ['x'] })],
    ['skills', toHolder('a', { skills: ['x'] })],
    ['the way of listing', toHolder('a', { tools: 'search' })],
    ['management', toHolder('a', { management: true })],
    ['no grant', { ...toHolder('a'), grant: undefined }],
  ])('is another one for other rights: %s', (_, holder) => {
    expect(toViewKey(holder)).not.toBe(toViewKey(toHolder('a')))
    expect(toViewKey(holder)).not.toBe(toViewKey(EVERYBODY))
  })

  it.each(['x:*', 'grant x:*', '"x:*"'])('does not take a scope of a token for one of a grant: %s', (scope) => {
    expect(toViewKey(toHolder('a', { scopes: ['x:*'] }))).not.toBe(toViewKey(toHolder('a', {}, { scopes: [scope] })))
  })

  it('is another one for other rights, whatever texts a token has for scopes', () => {
    const scopes = fc.array(fc.oneof(fc.string(), fc.constantFrom('x', '*', 'grant x', 'grant *')), { maxLength: 3 })
    fc.assert(
      fc.property(scopes, scopes, (own, granted) => {
        const key = toViewKey(toHolder('a', { scopes: granted }, { scopes: own }))
        const isSame = new Set(own).size === 0
        expect(key === toViewKey(toHolder('a', { scopes: granted }))).toBe(isSame)
      }),
    )
  })
})

describe('what is kept for each view', () => {
  it('is made once, for the last that were asked for', () => {
    const kept = createPerView<string>({ most: 2, onLeft: (value) => left.push(value) })
    const made: string[] = []
    const left: string[] = []
    const ask = (tier: string) =>
      kept.get(toHolder(tier, { tiers: [tier] }), ({ id }) => {
        made.push(id)
        return id
      })
    for (const tier of ['a', 'b', 'a', 'c', 'a', 'b']) ask(tier)
    expect(made).toEqual(['token:a', 'token:b', 'token:c', 'token:b'])
    expect(left).toEqual(['token:b', 'token:c'])
    kept.clear()
    ask('b')
    expect(made.at(-1)).toBe('token:b')
    expect(made).toHaveLength(5)
  })

  it('is kept for 64 of them', () => {
    const kept = createPerView<string>()
    let made = 0
    const ask = (tier: number) => kept.get(toHolder('a', { tiers: [`${tier}`] }), () => String(++made))
    for (let round = 0; round < 3; round++) for (let tier = 0; tier < 64; tier++) ask(tier)
    expect(made).toBe(64)
    ask(64)
    ask(0)
    expect(made).toBe(66)
  })
})
