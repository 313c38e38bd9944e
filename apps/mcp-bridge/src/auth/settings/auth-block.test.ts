import { createLog } from '@iii/sdk'
import { startSettings } from '@iii/sdk/cli'
import { describe, expect, it } from 'vitest'
import { bridgeOptions } from '../../options.ts'
import { createFolder } from '../../testing/folder.ts'
import { AuthBlock, ToldAuthBlock, toToldAuth } from './auth-block.ts'

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

/** What the configuration file comes to. */
async function readFile(lines: readonly string[]) {
  await using folder = await createFolder()
  const file = await folder.write('mcp.yaml', `${lines.join('\n')}\n`)
  const settings = startSettings(
    { options: bridgeOptions },
    { fixed: new Map(), file },
    createLog({ name: 'mcp', level: 'silent' }),
  )
  settings.stop()
  return { auth: settings.value.auth, mistakes: settings.locked?.mistakes ?? [] }
}

describe('the auth block of the file', () => {
  it('is read as it is written, with the strict answer to whatever it does not say', async () => {
    const { auth, mistakes } = await readFile([
      'auth:',
      '  tokens:',
      `    - { name: ci, hash: ["${hash('a')}"], grant: ops, expires: 2027-03-01 }`,
      '  grants:',
      '    ops: { tiers: [ops] }',
    ])
    expect(mistakes).toEqual([])
    expect(auth).toEqual({
      mode: 'required',
      tokens: [{ name: 'ci', hash: [hash('a')], grant: 'ops', expires: '2027-03-01' }],
      issuers: [],
      grants: { ops: { tiers: ['ops'], scopes: [], runs: 'own', management: false } },
      bus: 'deny',
      limits: {},
    })
  })

  it('can be switched off in so many words, and asks nobody where it is not there', async () => {
    expect((await readFile(['auth: { mode: off }'])).auth?.mode).toBe('off')
    expect(await readFile(['tier: ops'])).toEqual({ auth: undefined, mistakes: [] })
  })

  it('is not switched off by leaving out what stands in it', async () => {
    const { mistakes } = await readFile(['tier: ops', 'auth:', '#  mode: required'])
    expect(mistakes).toEqual(['line 2: auth: is empty, and would ask nobody: write its mode, required or off'])
  })

  it('has all its mistakes told at once, each with line, rule and nearest word', async () => {
    const { mistakes } = await readFile([
      'auth:',
      '  mode: requird',
      '  token: []',
      '  tokens:',
      `    - { name: ci, hash: ["${hash('a')}"], grant: opz }`,
      '    - name: c i',
      `      hash: [${hash('g')}, "${hash('a')}"]`,
      '      grant: ops',
      '      expires: tomorrow',
      '      limits: { per_minut: 5, burst: 0 }',
      `    - { nmae: x, name: ci, hash: [], grant: ops }`,
      '  grants:',
      '    ops: { tiers: ops, tool: all }',
      '    deny: {}',
      '  anonymous: { grant: public }',
      '  bus: opps',
    ])
    const expected = [
      /^line 2: auth\.mode: must be one of "off", "required"; did you mean 'required'\?$/,
      /^line 3: unknown key 'auth\.token'/,
      /^line 5: auth\.tokens\[0\]\.grant: there is no grant 'opz'; did you mean 'ops'\? \(auth\.grants has ops, deny\)$/,
      /^line 6: auth\.tokens\[1\]\.name: must be 1 to 64 letters/,
      /^line 7: auth\.tokens\[1\]\.hash\[0\]: must be sha256: and 64 hexadecimal digits/,
      /^line 7: auth\.tokens\[1\]\.hash\[1\]: is a hash of tokens\[0\] already$/,
      /^line 9: auth\.tokens\[1\]\.expires: must be a date/,
      /^line 10: unknown key 'auth\.tokens\[1\]\.limits\.per_minut'; did you mean 'per_minute'\?$/,
      /^line 10: auth\.tokens\[1\]\.limits\.burst: must be at least 1$/,
      /^line 10: auth\.tokens\[1\]\.limits\.burst: says nothing without per_minute$/,
      /^line 11: unknown key 'auth\.tokens\[2\]\.nmae'/,
      /^line 11: auth\.tokens\[2\]\.name: 'ci' is that of tokens\[0\] already$/,
      /^line 11: auth\.tokens\[2\]\.hash: must not be empty$/,
      /^line 13: auth\.grants\.ops\.tiers: must be a list, not a string$/,
      /^line 13: unknown key 'auth\.grants\.ops\.tool'; did you mean 'tools'\?$/,
      /^line 14: auth\.grants\.deny: must have another name/,
      /^line 15: auth\.anonymous\.grant: there is no grant 'public'/,
      /^line 16: auth\.bus: there is no grant 'opps'; did you mean 'ops'\?/,
    ]
    const unsaid = expected.filter((pattern) => !mistakes.some((mistake) => pattern.test(mistake)))
    expect([unsaid, mistakes]).toEqual([[], mistakes])
  })

  it.each([
    [
      'a token twice',
      { tokens: [1, 2].map((n) => ({ name: `t${n}`, hash: [hash('a')], grant: 'a' })) },
      'tokens.1.hash.0',
    ],
    ['a token without a hash', { tokens: [{ name: 'ci', hash: [], grant: 'a' }] }, 'tokens.0.hash'],
    [
      'a token in place of its hash',
      { tokens: [{ name: 'ci', hash: [`iii_${'a'.repeat(60)}`], grant: 'a' }] },
      'tokens.0.hash.0',
    ],
    ['a limit of none', { limits: { per_minute: 0 } }, 'limits.per_minute'],
    ['what is not a mode', { mode: 'optional' }, 'mode'],
    ['a token without a grant', { tokens: [{ name: 'ci', hash: [hash('a')] }] }, 'tokens.0.grant'],
    ['a grant that is not there', { stdio: { grant: 'b' } }, 'stdio.grant'],
    ['a grant on the bus that is not there', { bus: 'b' }, 'bus'],
    ['the same as a mapping', { bus: { grant: 'b' } }, 'bus.grant'],
    [
      'a scope with a * that nothing fits',
      { grants: { a: { scopes: ['orders:*', 'orders:*x'] } } },
      'grants.a.scopes.1',
    ],
    ['a tier with a *, which is compared as it is', { grants: { a: { tiers: ['ops', 'user*'] } } }, 'grants.a.tiers.1'],
    ['a scope with a space', { grants: { a: { scopes: ['a b'] } } }, 'grants.a.scopes.0'],
  ])('refuses %s', (_, block, place) => {
    const { error } = AuthBlock.safeParse({ grants: { a: {} }, ...block })
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([place])
  })

  it('is told to commands without its hashes', () => {
    const settings = AuthBlock.parse({ tokens: [{ name: 'ci', hash: [hash('a')], grant: 'a' }], grants: { a: {} } })
    const told = JSON.parse(JSON.stringify(toToldAuth(settings)))
    expect(JSON.stringify(told)).not.toContain('sha256')
    expect(ToldAuthBlock.parse(told)).toEqual({ ...settings, tokens: [{ name: 'ci', hash: [], grant: 'a' }] })
  })
})
