import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSecretFlag, maskArguments } from './command-line.ts'

const word = fc.stringMatching(/^[A-Za-z0-9+/_.~=-]{0,24}$/).map((text) => `zq9${text}qz`)

describe('a secret of a command line', () => {
  it.each([
    ['psql --password hunter -h db', 'psql --password <secret> -h db'],
    ['run --db-password  "a b" --token abc', 'run --db-password  "<secret>" --token <secret>'],
    ["sh -c 'x --api-key abc'", "sh -c 'x --api-key <secret>'"],
    ['a -token abc, --clientSecret x; b', 'a -token <secret>, --clientSecret <secret>; b'],
    ['["--password","hunter"]', '["--password","<secret>"]'],
    ["['--token', 'a b', '--user', 'me']", "['--token', '<secret>', '--user', 'me']"],
    ['"[\\"--secret\\", \\"a b\\"]"', '"[\\"--secret\\", \\"<secret>\\"]"'],
    ['--token isolated', '--token <secret>'],
  ])('is hidden in %j', (text, clean) => {
    expect(maskArguments(text)).toBe(clean)
  })

  it.each([
    'the flag --token is missing, --password or --secret must be given, --api-key (unset)',
    "unknown option '--password', '--token', `--secret`, '-x'",
    '--password --user me and --token',
    '--token-file orders.txt --max-tokens 5 --secrets-mount a',
    'my--token abc',
    '--token <secret> --password\nnext',
  ])('is not seen in %j', (text) => {
    expect(maskArguments(text)).toBe(text)
  })

  it('is hidden behind every flag that says so, in every usual writing', () => {
    const name = fc.constantFrom(
      'password',
      'DB_PASSWD',
      'passphrase',
      'client-secret',
      'authToken',
      'api_key',
      'access-key',
    )
    const writing = fc.constantFrom<(flag: string, value: string) => string>(
      (flag, value) => `${flag} ${value}`,
      (flag, value) => `${flag}\t"${value} ${value}"`,
      (flag, value) => `${flag} '${value}'`,
      (flag, value) => `["${flag}", "${value}"]`,
      (flag, value) => `'${flag}','${value}'`,
      (flag, value) => `[\\"${flag}\\",\\"${value}\\"]`,
    )
    const around = fc.constantFrom('', ' ', '(', ', ', '\n', 'run: ', '打')
    fc.assert(
      fc.property(
        around,
        fc.constantFrom('-', '--'),
        name,
        word,
        writing,
        around,
        (left, dashes, key, value, write, right) => {
          expect(isSecretFlag(dashes + key)).toBe(true)
          expect(maskArguments(left + write(dashes + key, value) + right)).not.toMatch(/zq9|qz/)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('stays hidden, and nothing else is, when it is looked for again', () => {
    const piece = fc.constantFrom(
      '--password',
      '-token',
      ' ',
      '"',
      "'",
      '`',
      ',',
      '\\"',
      '-',
      'a',
      'is',
      '<secret>',
      '\n',
      '=',
      ')',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const clean = maskArguments(pieces.join(''))
        expect(maskArguments(clean)).toBe(clean)
      }),
      { numRuns: 5_000 },
    )
  })

  it.each([
    '--password ',
    '--token a ',
    '--a-',
    '"--secret","',
    "--token '",
    '-',
    ' -',
    '--aa',
    '\\"',
    '\'`" --token ',
    '--api-',
  ])('is found in a time that grows no faster than the text does: %j', async (part) => {
    await expect(maskArguments).toTakeLinearTime((length) => part.repeat(length / part.length), 262_144)
  })
})
