import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toPlainMessage } from './plain-message.ts'

describe('a message for a client', () => {
  it.each([
    [
      "ENOENT: no such file or directory, open '/home/me/orders.json'",
      "ENOENT: no such file or directory, open '<path>'",
    ],
    ["open '/home/me/My Documents/x.json' failed", "open '<path>' failed"],
    ['cannot read /tmp/x.', 'cannot read <path>.'],
    ['/usr/lib/a and /var/log/b', '<path> and <path>'],
    ['in /workspace/x (/opt/y:3:4)', 'in <path> (<path>)'],
    ['/root', '<path>'],
    ['/opt/a,/etc/b;/app/c', '<path>,<path>;<path>'],
    ['/srv/a|/mnt/b|/private/c', '<path>|<path>|<path>'],
    ['//home/me/x', '<path>'],
    ['/Users/me/x', '<path>'],
    ['~/.ssh/id_rsa', '<path>'],
    ['path=/home/me/x', 'path=<path>'],
    ['file:///srv/a.js:3:1', '<path>'],
    ['FILE://host/x', '<path>'],
    ['C:\\Users\\me\\x.txt', '<path>'],
    ['C:\\Program Files\\x\\y.txt is gone', '<path> is gone'],
    ['d:/x/y', '<path>'],
    ['"C:\\\\Users\\\\me\\\\x.txt"', '"<path>"'],
    ['\\\\server\\share\\x', '<path>'],
    ['panicked at src/main.rs:3:5', 'panicked at <path>'],
    ['Cannot find module /data/x/y.mjs:12:5', 'Cannot find module <path>'],
  ])('hides the path in %j', (text, plain) => {
    expect(toPlainMessage(text)).toBe(plain)
  })

  it.each([
    'see https://host:3111/home/x and iii://fn/home/x',
    'http://[::1]:3111/tmp/x',
    'https://example.com/?p=/tmp/x',
    'orders/refunds, and/or, 24/7, w/o, n/a, 1/2',
    'no route /users/7 or /orders/{id}/tmp',
    '/home-page and /tmpfile',
    'a: b\nc: d',
    'either at home or at work',
    '',
  ])('keeps %j', (text) => {
    expect(toPlainMessage(text)).toBe(text)
  })

  it.each([
    ['boom\n    at f (/home/me/x.js:1:2)\n    at async g (node:internal/x:1:2)', 'boom'],
    ['boom\r\n\tat f\r\nmore', 'boom\r\nmore'],
    ['    at f (x:1:2)\nboom', '\nboom'],
    ['{"stack":"boom\\n    at f (x)\\n    at g"}', '{"stack":"boom'],
    [
      'Traceback (most recent call last):\n  File "/x/y.py", line 3, in f\n    raise X\nValueError: no',
      'ValueError: no',
    ],
  ])('has no stack after %j', (text, plain) => {
    expect(toPlainMessage(text)).toBe(plain)
  })

  it('is well-formed and at most 4 KiB long', () => {
    expect(toPlainMessage('a\ud800')).toBe('a\ufffd')
    expect(toPlainMessage('a'.repeat(4096))).toBe('a'.repeat(4096))
    expect(toPlainMessage('a'.repeat(4097))).toBe(`${'a'.repeat(4093)}…`)
    expect(toPlainMessage('😀'.repeat(2000))).toBe(`${'😀'.repeat(1023)}…`)
  })

  it('shows no path of a machine, wherever it stands', () => {
    const path = fc
      .tuple(
        fc.constantFrom(
          '/home',
          '/usr',
          '/tmp',
          '/work',
          '/root',
          '/var',
          '/opt',
          '/etc',
          '/app',
          '/srv',
          '/mnt',
          '/private',
          '/Users',
        ),
        fc.array(fc.stringMatching(/^[A-Za-z0-9._@+-]{1,8}$/), { minLength: 1, maxLength: 4 }),
      )
      .map(([root, parts]) => `${root}/secret${parts.join('/')}`)
    const before = fc.constantFrom('', ' ', "'", '"', '(', '[', '=', ': ', 'open ', '\n', '<', ',', '`', 'error:', '>')
    const after = fc.constantFrom('', ' ', "'", '"', ')', ']', ':1:2', '.', '\n', '>', ',', '`', ' is gone')
    const pieces = fc.array(fc.tuple(before, path, after), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(pieces, (parts) => {
        expect(toPlainMessage(parts.map((part) => part.join('')).join(' and '))).not.toContain('secret')
      }),
      { numRuns: 2000 },
    )
  })

  it('is made of any text in linear time', () => {
    const odd = fc.constantFrom(
      '/tmp',
      "'/home/",
      'C:\\',
      '\\\\a',
      '\n    ',
      '\\n',
      'a/',
      './',
      '/',
      'a.ts',
      '.',
      'aa:',
      '~/',
      '[',
      '"',
      ' at ',
      '://',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(odd, { minLength: 1, maxLength: 4 }), (parts) => {
        const text = parts.join('')
        const plain = toPlainMessage(text.repeat(Math.ceil(65_536 / text.length)))
        expect(plain.isWellFormed()).toBe(true)
        expect(new TextEncoder().encode(plain).length).toBeLessThanOrEqual(4096)
      }),
      { numRuns: 300, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: true },
    )
  })
})
