import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHolder } from '../testing/principals.ts'
import { answersToGrant, decide, mayReadFile, mayReadSkill, toAccess, toStanding } from './decision.ts'
import { EVERYBODY, type Grant, type Principal } from './principal.ts'

const decision = (metadata: unknown, grant: Partial<Grant>, scopes: readonly string[] = [], id = 'orders::get') =>
  decide(toHolder('ci', grant, { scopes }), toAccess(id, metadata))

describe('the decision', () => {
  it.each<[string, unknown, Partial<Grant>, readonly string[], 'allow' | 'hidden']>([
    ['a function that says nothing, for a grant of every tier', {}, {}, [], 'allow'],
    ['a function of a tier, for a grant of every tier', { 'mcp.tier': 'ops' }, {}, [], 'allow'],
    ['a function of a tier of the grant', { mcp: { tier: 'ops' } }, { tiers: ['user', 'ops'] }, [], 'allow'],
    ['a function of another tier', { 'mcp.tier': 'dev' }, { tiers: ['user', 'ops'] }, [], 'hidden'],
    ['a function without a tier, for a grant of some', {}, { tiers: ['user'] }, [], 'hidden'],
    ['a function whose tier is no text', { 'mcp.tier': 7 }, { tiers: ['user'] }, [], 'hidden'],
    ['any function of a tier, for a grant of none', { 'mcp.tier': 'user' }, { tiers: [] }, [], 'hidden'],
    ['a scope that the token has', { 'mcp.scopes': ['orders:write'] }, {}, ['orders:write'], 'allow'],
    ['a scope that the grant has', { mcp: { scopes: ['orders:write'] } }, { scopes: ['orders:write'] }, [], 'allow'],
    [
      'a scope that the grant has by its beginning',
      { 'mcp.scopes': ['orders:write'] },
      { scopes: ['orders:*'] },
      [],
      'allow',
    ],
    ['a scope that the token has only as a pattern', { 'mcp.scopes': ['orders:write'] }, {}, ['orders:*'], 'hidden'],
    ['one scope of two', { 'mcp.scopes': ['a', 'b'] }, { scopes: ['a'] }, [], 'hidden'],
    ['two scopes, one from each', { 'mcp.scopes': ['a', 'b'] }, { scopes: ['a'] }, ['b'], 'allow'],
    ['scopes that nobody can read', { 'mcp.scopes': 'orders:write' }, { scopes: ['*'] }, [], 'hidden'],
    ['a scope that is no text', { 'mcp.scopes': ['a', 7] }, { scopes: ['*'] }, [], 'hidden'],
    ['an empty list of scopes', { 'mcp.scopes': [] }, {}, [], 'allow'],
  ])('of %s', (_, metadata, grant, scopes, expected) => {
    expect(decision(metadata, grant, scopes)).toBe(expected)
  })

  it('lets everybody fetch who may read at all, whatever the tiers are', () => {
    expect(decision({}, { tiers: ['user'] }, [], 'skill::fetch')).toBe('allow')
    expect(decision({ 'mcp.scopes': ['x'] }, { tiers: ['user'] }, [], 'skill::fetch')).toBe('hidden')
  })

  it('asks what completes arguments for its scopes, and not for a tier that it does not have', () => {
    const holder = toHolder('ci', { tiers: ['user'] })
    expect(decide(holder, toAccess('a::b', {}), 'aid')).toBe('allow')
    expect(decide(holder, toAccess('a::b', { 'mcp.tier': 'ops' }), 'aid')).toBe('hidden')
    expect(decide(holder, toAccess('a::b', { 'mcp.scopes': ['x'] }), 'aid')).toBe('hidden')
    expect(decide(holder, toAccess('a::b', {}), 'prompt')).toBe('hidden')
  })

  it.each(['token', 'jwt', 'anonymous'] as const)('shows nothing to %s without a grant', (method) => {
    const holder: Principal = { ...EVERYBODY, method }
    expect([answersToGrant(holder), decide(holder, toAccess('a::b', {})), mayReadSkill(holder, 'a')]).toEqual([
      true,
      'hidden',
      false,
    ])
  })

  it.each(['off', 'stdio', 'bus'] as const)('leaves %s to the rules of the bridge, unless it has a grant', (method) => {
    const asker: Principal = { ...EVERYBODY, method }
    expect(decide(asker, toAccess('a::b', { 'mcp.scopes': ['x'] }))).toBe('allow')
    const { grant } = toHolder('x', { tiers: ['user'] })
    expect(decide({ ...asker, grant }, toAccess('a::b', {}))).toBe('hidden')
  })

  it('is never wider for fewer rights', () => {
    const words = fc.subarray(['a', 'b', 'a:x', 'b:y'])
    const tiers = fc.option(fc.subarray(['user', 'ops', 'dev']), { nil: undefined })
    const rule = fc.property(
      words,
      words,
      words,
      tiers,
      fc.constantFrom('user', 'ops', undefined),
      (needed, scopes, fewer, reach, tier) => {
        const metadata = { 'mcp.scopes': needed, ...(tier === undefined ? {} : { 'mcp.tier': tier }) }
        const less = scopes.filter((scope) => fewer.includes(scope))
        if (decision(metadata, { tiers: reach, scopes: less }) === 'hidden') return
        expect(decision(metadata, { tiers: reach, scopes })).toBe('allow')
        expect(decision(metadata, { scopes })).toBe('allow')
      },
    )
    fc.assert(rule)
  })
})

describe('skills of a grant', () => {
  it.each([
    ['orders', true],
    ['orders/refunds', true],
    ['orders-archive', false],
    ['order', false],
  ])('%s: %s', (id, isRead) => {
    expect(mayReadSkill(toHolder('ci', { skills: ['orders'] }), id)).toBe(isRead)
  })

  it.each([
    ['orders/SKILL.md', true],
    ['orders/refunds/a.png', true],
    ['orders.md', true],
    ['orders-archive/SKILL.md', false],
    ['billing/orders.md', false],
  ])('have files, and %s is one of them: %s', (path, isRead) => {
    expect(mayReadFile(toHolder('ci', { skills: ['orders'] }), path)).toBe(isRead)
  })

  it('are all where it names none, and none where its list is empty', () => {
    expect(mayReadSkill(toHolder('ci'), 'orders')).toBe(true)
    expect(mayReadSkill(toHolder('ci', { skills: [] }), 'orders')).toBe(false)
    expect(mayReadSkill(EVERYBODY, 'orders')).toBe(true)
  })
})

describe('how a principal stands', () => {
  it('is as it was where nothing says otherwise, and over from the moment that its token ends', () => {
    const holder = toHolder('ci', {}, { expiresAt: 1_000 })
    expect([toStanding(EVERYBODY, 5), toStanding(holder, 999), toStanding(holder, 1_000)]).toEqual([
      EVERYBODY,
      holder,
      undefined,
    ])
  })

  it('is what the settings say at the moment', () => {
    const fewer = toHolder('ci', { tiers: ['user'] })
    let now: Principal | undefined = fewer
    const holder = toHolder('ci', {}, { asOfNow: () => now })
    expect(toStanding(holder, 0)).toBe(fewer)
    now = { ...fewer, expiresAt: 10 }
    expect(toStanding(holder, 10)).toBeUndefined()
    now = undefined
    expect(toStanding(holder, 0)).toBeUndefined()
  })
})
