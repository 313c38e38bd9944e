import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toPlainMessage } from './index.ts'

describe('a message for a client', () => {
  it.each([
    [
      'Function a::b not found in namespace default. It is registered in namespace(s): orders, shop.',
      'Function a::b not found in namespace default.',
    ],
    [
      'orders::sum: Function a::b not found in namespace default. It is registered in namespace(s): v1.2. Try later.',
      'orders::sum: Function a::b not found in namespace default. Try later.',
    ],
    [
      "trigger a::b: Function 'a::b' is ambiguous: it is registered in namespace(s): a, b. Pass `namespace` to select one.",
      "trigger a::b: Function 'a::b' is not registered.",
    ],
    [
      "Worker 'w' is ambiguous: it is connected in namespace(s): a, b. Pass `namespace` to disambiguate.",
      "Worker 'w' is not connected.",
    ],
    [
      "Worker 'w' is not connected in the requested namespace; it is connected in namespace(s): a.\nmore",
      "Worker 'w' is not connected.\nmore",
    ],
    ['x. It is registered in namespace(s): a, b', 'x'],
    ['It is registered in namespace orders.', 'It is registered in namespace orders.'],
  ])('does not tell where else something is, of %j', (text, plain) => {
    expect(toPlainMessage(text)).toBe(plain)
  })

  it('has no colours', () => {
    expect(toPlainMessage('\u001b[1;31merror\u001b[0m: \u001b[2K\u009b4mno\u001b[')).toBe('error: no[')
  })

  it('is well-formed and at most 4 KiB long', () => {
    expect(toPlainMessage('a\ud800')).toBe('a\ufffd')
    expect(toPlainMessage('a'.repeat(4096))).toBe('a'.repeat(4096))
    expect(toPlainMessage('a'.repeat(4097))).toBe(`${'a'.repeat(4093)}…`)
    expect(toPlainMessage('😀'.repeat(2000))).toBe(`${'😀'.repeat(1023)}…`)
  })

  it('stays what it is when it is made plain again', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const plain = toPlainMessage(parts.join(''))
        expect(toPlainMessage(plain)).toBe(plain)
      }),
      { numRuns: 5000 },
    )
  })

  it('is the text itself when it holds neither a slash nor the name or shape of a secret', () => {
    const harmless = fc
      .oneof(fc.string({ unit: 'grapheme' }), fc.array(words, { maxLength: 12 }))
      .map((text) => (typeof text === 'string' ? text : text.join(' ')).replace(/[/\\]/g, '').trimEnd())
    fc.assert(
      fc.property(harmless, (text) => {
        expect(toPlainMessage(text)).toBe(text)
      }),
      { numRuns: 5000 },
    )
  })

  it('is made of any text in linear time', () => {
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 4 }), (parts) => {
        const plain = toPlainMessage(fill(parts.join(''), 65_536))
        expect(plain.isWellFormed()).toBe(true)
        expect(new TextEncoder().encode(plain).length).toBeLessThanOrEqual(4096)
      }),
      { numRuns: 150, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
    )
  })

  it.each([
    ...[
      './',
      'a/',
      'a.b.',
      '/..',
      '打/',
      '/tmp/.',
      'sk-_',
      '[1;',
      'C:\\a ',
      '\\',
      "'/a/b ",
      "\\'/a/b\\\\",
      'aa://u:',
      "aa://'",
    ],
    ...[
      'token: ',
      'token: a',
      'bearer ',
      'cookie: a',
      'eyJaaaaaaaa.',
      '-----BEGIN PRIVATE KEY-----',
      '\\n ',
      '/a(',
      '~a/b',
      '\n \t',
      '\nstack trace:\n ',
      '\ngoroutine 1 [',
      '\n--- End of stack ',
    ],
  ])('grows no faster than the text does: %j', async (part) => {
    await expect(toPlainMessage).toTakeLinearTime((length) => fill(part, length), 65_536)
  })
})

function fill(part: string, length: number): string {
  return part.repeat(Math.ceil(length / part.length)).slice(0, length)
}

const words = fc.constantFrom(
  ...[
    'order',
    'not found',
    'a::b',
    'token::create',
    'Unexpected token = in JSON',
    'max_tokens=5',
    'tokens: 12',
    'a: b',
  ],
  ...[
    'password: expected string, received number',
    'token: must not be blank',
    'x=1',
    '[not_found]',
    '"id"',
    '~5',
    '50%',
  ],
  ...[
    'Bearer authentication is required',
    'basic types',
    'a == b',
    'token === undefined',
    'C:',
    '(at home)',
    '—',
    'été',
  ],
)

const pieces = fc.constantFrom(
  ...[
    '/tmp',
    '/data',
    '/x',
    "'/home/",
    'C:\\',
    '\\\\a',
    '\n    ',
    '\\n',
    'a/',
    './',
    '../',
    '/',
    '//',
    'a.ts',
    '.',
    'x.js:3',
  ],
  ...[
    'aa:',
    'aa://',
    'iii://',
    'sqlite://',
    '://',
    '@',
    '~/',
    '[',
    ']',
    '(',
    ')',
    '. It is registered in namespace(s): ',
    ' is ambiguous: it',
    ' is registered in namespace(s): ',
    ' Pass `namespace` to select one.',
    '{',
    '}',
    '"',
    "'",
    '`',
    ' at ',
    'Users\\',
  ],
  ...[
    'password=',
    'token: ',
    '"secret":',
    'Bearer ',
    'a1b2c3d4',
    '=',
    ' ',
    '<',
    '>',
    '<path>',
    '<secret>',
    '|',
    ',',
    ';',
  ],
  ...[
    '#',
    '?',
    '^',
    '*',
    '-I',
    'GET ',
    'route ',
    'é',
    '打',
    '\u001b[31m',
    '\\u001b[1m',
    '\n',
    '1',
    '_',
    '-',
    '…',
    '\\/',
  ],
  ...[
    'Traceback (most recent call last):',
    '  File "',
    'cookie: ',
    'eyJabcdefghij.x',
    'sk-',
    '-----BEGIN PRIVATE KEY-----',
  ],
  ...['\ud800'],
)
