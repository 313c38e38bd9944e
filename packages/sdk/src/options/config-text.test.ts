import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readConfigText } from './config-text.ts'
import type { AnyOptionTable } from './option-table.ts'

const Access = z
  .strictObject({ users: z.array(z.strictObject({ name: z.string(), age: z.number().optional() })) })
  .optional()

const table: AnyOptionTable = {
  skills: { yaml: 'scopes.skills', schema: z.string(), default: 'skills', describe: '' },
  prompts: { yaml: 'scopes.prompts', schema: z.string(), default: 'prompts', describe: '' },
  timeoutMs: { yaml: 'state_timeout_ms', schema: z.int().positive(), default: 10_000, describe: '' },
  short: { yaml: 'short', schema: z.array(z.string()).max(2), default: [], describe: '' },
  hidden: { yaml: 'hidden_prefixes', schema: z.array(z.string()), default: [], describe: '' },
  tokens: { yaml: 'tokens', schema: z.record(z.string(), z.string()), default: {}, describe: '' },
  mode: { yaml: 'mode', schema: z.enum(['open', 'strict']), default: 'open', describe: '' },
  strict: { yaml: 'strict', schema: z.boolean(), default: false, describe: '' },
  access: { yaml: 'access', schema: Access, default: undefined, empty: 'is empty: say who', describe: '' },
  flagOnly: { flag: '--flag-only', schema: z.string(), default: '', describe: '' },
}

const read = (text: string) => {
  const { values, problems } = readConfigText(text, table)
  const plain = Object.fromEntries([...values].map(([option, { value }]) => [option, value]))
  return { values: plain, problems }
}

describe('a configuration file', () => {
  it.each<[string, Record<string, unknown>]>([
    ['', {}],
    ['# nothing\n', {}],
    ['scopes:\n  skills: a\n  prompts: b\nstate_timeout_ms: 5', { skills: 'a', prompts: 'b', timeoutMs: 5 }],
    ['- scopes:\n    skills: a\n  state_timeout_ms: 5', { skills: 'a', timeoutMs: 5 }],
    ['scopes:\n- skills: a', { skills: 'a' }],
    ['state_timeout_ms: [7]', { timeoutMs: 7 }],
    ['hidden_prefixes: [a]', { hidden: ['a'] }],
    ['hidden_prefixes:\n  - orders::\n  - iii.\n  - a::b::', { hidden: ['orders::', 'iii.', 'a::b::'] }],
    ['hidden_prefixes:\n  - orders:: # all of them', { hidden: ['orders::'] }],
    ['hidden_prefixes: [orders::, "b::"]', { hidden: ['orders::', 'b::'] }],
    ['x-one: &one [orders::]\nhidden_prefixes: *one', { hidden: ['orders::'] }],
    ['state_timeout_ms:\nscopes:\n', {}],
    ['tokens: { a: x, constructor: y }', { tokens: { a: 'x', constructor: 'y' } }],
    ['x-base: &b x\nscopes: { skills: *b }', { skills: 'x' }],
    ['{"scopes": {"skills": "json"}}', { skills: 'json' }],
  ])('%j says %j', (text, values) => {
    expect(read(text)).toMatchObject({ values, problems: [] })
  })

  it.each([
    ['state_timeout_ms: soon', 'line 1: state_timeout_ms: must be a number, not a string'],
    ['# a\n\nscopes:\n  skills: [a, b]\n', 'line 4: scopes.skills: must be a string, not a list'],
    ['scopes: all', 'line 1: scopes: expected keys with values'],
    ['just text', 'line 1: the file: expected keys with values'],
    ['- a: 1\n- b: 2', 'line 1: the file: expected keys with values'],
    ['hidden_prefixes: [a, 1]', 'line 1: hidden_prefixes[1]: must be a string, not a number'],
    ['hidden_prefixes:\n  - a\n  - 1', 'line 3: hidden_prefixes[1]: must be a string, not a number'],
    ['hidden_prefixes:\n  - a::\n  - 1', 'line 3: hidden_prefixes[1]: must be a string, not a number'],
    ['hidden_prefixes:\n  - orders:: x', 'line 2: hidden_prefixes[0]: must be a string, not an object'],
    ['hidden_prefixes:\n  - orders: 1', 'line 2: hidden_prefixes[0]: must be a string, not an object'],
    ['hidden_prefixes:\n  - a::\n    b::', 'line 2: hidden_prefixes[0]: must be a string, not an object'],
    ['hidden_prefixes:\n  orders::', 'line 2: hidden_prefixes: must be a list, not an object'],
    ['scopes:\n  skills:\n    - a::\n    - b::', 'line 3: scopes.skills: must be a string, not a list'],
    ['short: a-long-text', 'line 1: short: must be a list, not a string'],
    ['tokens:\n  a: x\n  b: 1', 'line 3: tokens.b: must be a string, not a number'],
    ['mode: open\naccess:\n', 'line 2: access: is empty: say who'],
    ['access:\n  users: []\n  mode: 1', "line 3: unknown key 'access.mode'"],
  ])('%j is malformed', (text, problem) => {
    expect(read(text).problems).toEqual([problem])
  })

  it.each([
    ['a: b: c', /^line 1: /],
    ['ok: 1\nscopes: {', /^line 2: /],
    ['state_timeout_ms: 1\nstate_timeout_ms: 2', /^line 2: .*unique/],
    ['a: "unfinished', /^line 1: /],
    ['x: *nowhere', /nowhere/],
    ['['.repeat(100_000), /./],
    ['a: 1\n---\nb: 2', /./],
    ['tokens: &a { b: *a }', /^an alias leads to what it stands in$/],
  ])('%# is not YAML that counts', (text, problem) => {
    expect(read(text).problems[0]).toMatch(problem)
  })

  it('does not unfold a file without end', async () => {
    const toText = (length: number) =>
      Array.from(
        { length },
        (_, level) => `l${level}: &l${level} [${Array(9).fill(level === 0 ? 'x' : `*l${level - 1}`)}]`,
      ).join('\n')
    expect(read(toText(12)).problems.join()).toMatch(/alias/)
    await expect(read).toTakeLinearTime(toText, 16)
  })

  it('tells where each value stands', () => {
    const { values } = readConfigText('# a\nscopes:\n  skills: a\nhidden_prefixes:\n  - b', table)
    expect(Object.fromEntries(values)).toMatchObject({
      skills: { value: 'a', from: 'file', name: 'scopes.skills', line: 3 },
      hidden: { value: ['b'], from: 'file', name: 'hidden_prefixes', line: 4 },
    })
    const lineOf = values.get('hidden')?.lineOf ?? (() => 0)
    expect(['', '[0]', '[7]', 'nothing'].map(lineOf)).toEqual([4, 5, 4, 4])
    const { values: deep } = readConfigText('# a\ntokens:\n  one: x\n  two: y\n', table)
    expect(['one', 'two', 'three', 'two.more'].map(deep.get('tokens')?.lineOf ?? (() => 0))).toEqual([3, 4, 2, 4])
  })

  it('names each key that a value does not take, with its line and the nearest that is missing', () => {
    const wrong = [
      'access:',
      '  users:',
      '    - name: a',
      '      agge: 1',
      '    - nmae: b',
      '      name: 7',
      '      x: 1',
    ]
    expect(read(wrong.join('\n')).problems).toEqual([
      "line 4: unknown key 'access.users[0].agge'; did you mean 'age'?",
      "line 5: unknown key 'access.users[1].nmae'",
      "line 7: unknown key 'access.users[1].x'",
      'line 6: access.users[1].name: must be a string, not a number',
    ])
  })

  it('is told all its mistakes at once, each with line, rule and nearest word', () => {
    const wrong = [
      'scope:',
      '  skills: a',
      'scopes:',
      '  skils: a',
      '  prompts: [1]',
      'whatever_else: 1',
      'flagOnly: 1',
      'hidden_prefixes:',
      '  - 1',
      '  - fine',
      '  - 2',
      'mode: strikt',
      'strict: ture',
      'state_timeout_ms: 0',
    ]
    expect(read(wrong.join('\n')).problems).toEqual([
      "line 1: unknown key 'scope'; did you mean 'scopes.skills'?",
      "line 4: unknown key 'scopes.skils'; did you mean 'scopes.skills'?",
      'line 5: scopes.prompts: must be a string, not a list',
      "line 6: unknown key 'whatever_else'",
      "line 7: unknown key 'flagOnly'",
      'line 9: hidden_prefixes[0]: must be a string, not a number',
      'line 11: hidden_prefixes[2]: must be a string, not a number',
      `line 12: mode: must be one of "open", "strict"; did you mean 'strict'?`,
      "line 13: strict: must be true or false, not a string; did you mean 'true'?",
      'line 14: state_timeout_ms: must be more than 0',
    ])
  })

  it('is told every key that stands there twice beside its other mistakes, and every syntax error', () => {
    expect(read('scopes: {}\nscopes: {}\nmod: open\nmode: open\nmode: open').problems).toEqual([
      'line 2: Map keys must be unique',
      'line 5: Map keys must be unique',
      "line 3: unknown key 'mod'; did you mean 'mode'?",
    ])
    expect(read('mode: @open\nscopes: `x').problems).toEqual([
      expect.stringMatching(/^line 1: .*@/),
      expect.stringMatching(/^line 2: .*`/),
    ])
  })

  it.each([
    [
      'a bracket that is not closed',
      'mod: open\nhidden_prefixes: [a\nstrict: ture\n',
      [/^line 2: .*end with a \]/, "line 1: unknown key 'mod'; did you mean 'mode'?", /^line 3: strict: .*'true'/],
    ],
    [
      'a quote that is not closed',
      'state_timeout_ms: 0\nmode: "open\nstrict: ture\n',
      ['line 2: Missing closing "quote', 'line 1: state_timeout_ms: must be more than 0', /^line 3: strict/],
    ],
    [
      'two colons in a line',
      'scopes:\n  skils: a\nmode: a: b\n',
      [/^line 3: /, "line 2: unknown key 'scopes.skils'; did you mean 'scopes.skills'?"],
    ],
    [
      'brackets over lines, closed at the margin',
      'hidden_prefixes: [\nmod: 1\n]\nstrict: ture',
      [/^line 2: /, /^line 3: /, /^line 4: strict/],
    ],
    [
      'an anchor that is not there, beside one that is in another part',
      'x-a: &a [b]\nhidden_prefixes: *a\nmode: *strict\nstrict: 1\n',
      ['line 3: *strict is an alias, and nothing has the anchor &strict', /^line 4: strict/],
    ],
    [
      'an anchor that comes after its alias',
      'mode: *late\nx-a: &late open\nstrict: 1\n',
      [/^Unresolved alias/, /^line 3: strict/],
    ],
    [
      'a second document',
      'mode: open\n---\nstrict: ture\n',
      ['line 2: a second document begins here (---), and one is all there can be', /^line 3: strict/],
    ],
    ['one bracket around everything', '{\n"mod": 1,\n"strict": }, "x"\n}', [/^line 3: /]],
  ])('is told its other mistakes beside %s', (_, text, expected) => {
    const { values, problems } = read(text)
    expect(problems).toHaveLength(expected.length)
    expect(problems).toEqual(expected.map((told) => (typeof told === 'string' ? told : expect.stringMatching(told))))
    expect(values).toEqual({})
  })

  it('tells nothing of what stands at a mistake', () => {
    expect(
      read('mode: [a]\n"key" s3cret\nhidden_prefixes: ["a" s3cret]\nscopes: }s3cret').problems.join(),
    ).not.toContain('s3cret')
  })

  it('is told no mistake of a part that it does not have by itself', () => {
    const good = [
      'mode: open',
      'strict: true',
      'hidden_prefixes:\n- a\n- b::',
      'state_timeout_ms: 5',
      'scopes:\n  skills: a',
    ]
    fc.assert(
      fc.property(fc.subarray(good), fc.nat(5), (parts, at) => {
        const lines = [...parts.slice(0, at), 'broken: "', ...parts.slice(at)]
        const line = lines.slice(0, lines.indexOf('broken: "')).join('\n').split('\n').length
        const before = parts.slice(0, at).length === 0 ? 0 : line
        expect(read(lines.join('\n')).problems).toEqual([`line ${before + 1}: Missing closing "quote`])
      }),
    )
  })

  it('never throws and never sets what its table does not name', () => {
    const text = fc.string({ unit: fc.constantFrom(...'scopes:skills-[]{}&*!|>\n "\'#%@,__proto__0') })
    fc.assert(
      fc.property(text, (wild) => {
        const { values, problems } = readConfigText(wild, table)
        expect(problems.every((problem) => problem !== '')).toBe(true)
        expect([...values.keys()].every((key) => Object.hasOwn(table, key))).toBe(true)
      }),
    )
  })
})
