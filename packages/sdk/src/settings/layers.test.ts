import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { combineOptions, type Given, type OptionPlace, type OptionRules } from '../options/given.ts'
import { layOver, PRECEDENCE } from './layers.ts'

interface Options {
  limit: number
  strict: boolean
  open: boolean
  tier: string | undefined
  prefixes: readonly string[]
  scope: string
}

const plain = { describe: '' }
const rules: OptionRules<Options> = {
  options: {
    limit: { ...plain, yaml: 'limit', schema: z.number(), default: 1, stored: 'any' },
    strict: { ...plain, yaml: 'strict', schema: z.boolean(), default: false, stored: (ours, stored) => ours || stored },
    open: { ...plain, yaml: 'open', schema: z.boolean(), default: false, stored: (ours, stored) => ours && stored },
    tier: {
      ...plain,
      yaml: 'tier',
      schema: z.string().optional(),
      default: undefined,
      stored: (ours, stored) => ours ?? stored,
    },
    prefixes: {
      ...plain,
      yaml: 'prefixes',
      schema: z.array(z.string()),
      default: [],
      stored: (ours, stored) => [...stored, ...ours.filter((prefix) => !stored.includes(prefix))],
    },
    scope: { ...plain, yaml: 'scope', schema: z.string(), default: 'a' },
  },
  findConflict: ({ strict, open }) =>
    strict && open ? { options: ['strict', 'open'], reason: 'exclude each other' } : undefined,
}

function give(from: OptionPlace, values: Partial<Options>): ReadonlyMap<string, Given> {
  return new Map(Object.entries(values).map(([name, value]) => [name, { value, from, name }]))
}

/** What counts, and what is said about it. */
function lay(given: ReadonlyMap<string, Given>, stored: Partial<Options>) {
  const { value, remarks } = layOver(rules, given, give('store', stored))
  const changed = Object.entries(value).filter(
    ([name, one]) => one !== combineOptions(rules, new Map()).value[name as 'tier'],
  )
  return [Object.fromEntries(changed), ...remarks]
}

describe('what is stored', () => {
  it('counts after flags, and before environment and file', () => {
    expect(PRECEDENCE).toEqual(['flag', 'store', 'environment', 'file'])
    for (const from of PRECEDENCE.filter((place) => place !== 'store')) {
      const { value, given } = layOver(rules, give(from, { limit: 5 }), give('store', { limit: 7 }))
      expect([from, value.limit, given.get('limit')?.from]).toEqual(
        from === 'flag' ? ['flag', 5, 'flag'] : [from, 7, 'store'],
      )
    }
    expect(lay(new Map(), { limit: 7 })).toEqual([{ limit: 7 }])
  })

  it.each<[given: Partial<Options>, stored: Partial<Options>, counts: Partial<Options>, remark?: RegExp]>([
    [{}, { strict: true }, { strict: true }],
    [{}, { strict: false }, {}],
    [{ strict: true }, { strict: true }, { strict: true }],
    [{ strict: true }, { strict: false }, { strict: true }, /^strict: false would be less strict .*; true counts$/],
    [{ open: true }, { open: false }, {}],
    [{ open: true }, { open: true }, { open: true }],
    [{}, { open: true }, {}, /^open: true would be less strict/],
    [{}, { tier: 'ops' }, { tier: 'ops' }],
    [{ tier: 'ops' }, { tier: 'ops' }, { tier: 'ops' }],
    [{ tier: 'ops' }, { tier: 'sales' }, { tier: 'ops' }, /^tier: "sales" would be less strict .*; "ops" counts$/],
    [{ tier: 'ops' }, {}, { tier: 'ops' }],
    [{}, { prefixes: ['a'] }, { prefixes: ['a'] }],
    [{ prefixes: ['a'] }, { prefixes: ['b', 'a'] }, { prefixes: ['b', 'a'] }],
    [{ prefixes: ['a'] }, { prefixes: ['b'] }, { prefixes: ['b', 'a'] }, /^prefixes: \["b"\] would be less strict/],
    [{ scope: 'b' }, { scope: 'c' }, { scope: 'b' }],
    [{}, { scope: 'c' }, {}],
  ])('makes stricter and never less strict: %j and %j are %j', (given, stored, counts, remark) => {
    const [value, ...remarks] = lay(give('file', given), stored)
    expect(value).toEqual(counts)
    expect(remarks).toEqual(remark === undefined ? [] : [expect.stringMatching(remark)])
  })

  it('gives way to a flag even where that is less strict, and says so', () => {
    expect(lay(give('flag', { strict: false, prefixes: [] }), { strict: true, prefixes: ['a'] })).toEqual([
      { prefixes: [] },
      'strict: true does not count: strict (flag) says false',
      'prefixes: ["a"] does not count: prefixes (flag) says []',
    ])
    expect(lay(give('flag', { limit: 7, scope: 'b' }), { limit: 7, scope: 'c' })).toEqual([{ limit: 7, scope: 'b' }])
  })

  it('cannot go together with a flag, and then does not count, key by key', () => {
    expect(lay(give('flag', { open: true }), { strict: true, limit: 7 })).toEqual([
      { open: true, limit: 7 },
      'strict (store) and open exclude each other; what is stored of them does not count',
    ])
  })

  it('counts where it cannot go together with environment or file, if that is stricter', () => {
    const remark = 'strict (store) and open (environment) exclude each other; the stricter counts'
    for (const open of [undefined, true]) {
      const stored = { ...(open && { open }), strict: true }
      expect(lay(give('environment', { open: true }), stored)).toEqual([{ strict: true }, remark])
    }
    expect(lay(give('environment', { open: true }), { open: false, strict: true })).toEqual([{ strict: true }])
  })
})
