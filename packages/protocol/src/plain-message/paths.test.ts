import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toPlainMessage } from './index.ts'

describe('a path in a message', () => {
  it.each([
    [
      "ENOENT: no such file or directory, open '/home/me/orders.json'",
      "ENOENT: no such file or directory, open '<path>'",
    ],
    ["open '/home/me/My Documents/x.json' failed", "open '<path>' failed"],
    ["open '/data/My Documents/x.json' failed", "open '<path>' failed"],
    ['cannot read /tmp/x.', 'cannot read <path>.'],
    ['/usr/lib/a and /var/log/b', '<path> and <path>'],
    ['in /workspace/x (/opt/y:3:4)', 'in <path> (<path>)'],
    ['/root', '<path>'],
    ['/opt/a,/etc/b;/app/c', '<path>,<path>;<path>'],
    ['/srv/a|/mnt/b|/private/c', '<path>|<path>|<path>'],
    ['/data/x.json /run/secrets/db /code/a /config/b /media/c', '<path> <path> <path> <path> <path>'],
    ['/dev/shm/a /lib/b /bin/sh /github/workspace /storage/e', '<path> <path> <path> <path> <path>'],
    ['/app/(auth)/[id]/page.tsx', '<path>'],
    ['/データ/注文.json', '<path>'],
    ['无法打开/data/x/订单', '无法打开<path>'],
    ['//home/me/x', '<path>'],
    ['/Users/me/x', '<path>'],
    ['~/.ssh/id_rsa and ~me/a/b', '<path> and <path>'],
    ['path=/home/me/x', 'path=<path>'],
    ['node -I/data/include', 'node -I<path>'],
    ['mount host:/data/x:ro', 'mount host:<path>'],
    ['cannot read ../../home/me/x', 'cannot read <path>'],
    ['{"file":"\\/data\\/www\\/x.php"}', '{"file":"<path>"}'],
    ['"failed\\n/data/x/y"', '"failed\\n<path>"'],
    ['\u001b[36m/data/\u001b[1mx.ts\u001b[0m is bad', '<path> is bad'],
    ['\\u001b[36m/data/x.ts', '\\u001b[36m<path>'],
    ['file:///srv/a.js:3:1', '<path>'],
    ['FILE://host/x', '<path>'],
    ['sqlite:///data/x.db unix://var/run/x webpack:///src/x.ts', '<path> <path> <path>'],
    ['C:\\Users\\me\\x.txt', '<path>'],
    ['C:\\Program Files\\x\\y.txt is gone', '<path> is gone'],
    ['d:/x/y', '<path>'],
    ['"C:\\\\Users\\\\me\\\\x.txt"', '"<path>"'],
    ['\\Users\\me\\x', '<path>'],
    ['\\\\server\\share\\x', '<path>'],
    ['at \\\\\\\\server\\\\share\\\\x', 'at <path>'],
    ['File "/data/x.py", line 3', 'File "<path>", line 3'],
    ['panicked at src/main.rs:3:5', 'panicked at <path>'],
    ['Cannot find module /data/x/y.mjs:12:5', 'Cannot find module <path>'],
  ])('is hidden in %j', (text, plain) => {
    expect(toPlainMessage(text)).toBe(plain)
  })

  it.each([
    'see https://host:3111/home/x and iii://fn/home/x',
    'http://[::1]:3111/tmp/x',
    'http://[fe80::1%25eth0]/a/b',
    'https://example.com/?p=/tmp/x',
    'https://example.com/a_(b)/data/x',
    'iii://orders/refunds, iii:///data/x, skill:///, skill:///data/x, wss://iii.dev/a/b and s3://bucket/a/b',
    '{"url":"https:\\/\\/iii.dev\\/docs\\/a"}',
    'orders/refunds, and/or, 24/7, w/o, n/a, 1/2, 1/2/3, application/json, */*, hier/dort/überall, été/automne/hiver',
    'no route /users/7 or /orders/{id}/tmp',
    "GET /orders/7/items, POST '/mcp/v1', endpoint: /a/b",
    '/mcp, /mcp/ and /openapi.json',
    'iii_worker at /workers',
    '/home-page and /tmpfile',
    'see #/definitions/Order/properties',
    'must match pattern /^[a-z0-9_-]+$/ and not /\\d+/i',
    "does not match '^\\d+\\/\\d+$'",
    '<b>a</b> // comment, a // b, a / b / c',
    'orders::create, a::b/c',
    'a: b\nc: d',
    'either at home or at work',
    '',
  ])('is not seen in %j', (text) => {
    expect(toPlainMessage(text)).toBe(text)
  })

  it('is hidden wherever it stands and whatever it begins with', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9._@+-]{1,8}$/)
    const path = fc
      .tuple(fc.array(name, { minLength: 1, maxLength: 4 }), fc.constantFrom('/', '//', '\\/'))
      .map(([names, slash]) => `${slash === '//' ? '/' : slash}${[...names, 'hidden'].join(slash)}`)
    const before = fc.constantFrom(
      ...[
        '',
        ' ',
        "'",
        '"',
        '(',
        '[',
        '=',
        ': ',
        'open ',
        '\n',
        '<',
        ',',
        '`',
        'error:',
        '>',
        '{',
        '|',
        '-',
        '@',
        '!',
        '*',
      ],
      ...['\\n', '\\t', '打', 'の', '\u200b', '\u001b[31m', ' -I', '”', '→', '&', '$', '+', ')', ']', ';', '\u0000'],
    )
    const after = fc.constantFrom(
      '',
      ' ',
      "'",
      '"',
      ')',
      ']',
      ':1:2',
      '.',
      '\n',
      '>',
      ',',
      '`',
      ' is gone',
      '\u001b[0m',
    )
    const pieces = fc.array(fc.tuple(before, path, after), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(pieces, (parts) => {
        expect(toPlainMessage(parts.map((part) => part.join('')).join(' and '))).not.toContain('hidden')
      }),
      { numRuns: 5000 },
    )
  })

  it('is not seen in an address', () => {
    const segment = fc.stringMatching(/^[A-Za-z0-9._~%-]{1,8}$/)
    const address = fc
      .tuple(
        fc.constantFrom('https', 'http', 'ws', 'wss', 'iii', 'postgres', 's3'),
        fc.stringMatching(/^[a-z0-9.-]{1,12}$/),
        fc.constantFrom('', ':3111'),
        fc.array(segment, { maxLength: 5 }),
      )
      .map(([scheme, host, port, segments]) => [`${scheme}://${host}${port}`, ...segments].join('/'))
    const before = fc.constantFrom('', ' ', "'", '"', '(', '[', '=', 'open ', '\n', '<', ',', '`', '打')
    const after = fc.constantFrom('', ' is gone', "'", '"', ')', ']', '>', ', or')
    fc.assert(
      fc.property(before, address, after, (left, uri, right) => {
        expect(toPlainMessage(left + uri + right)).toBe((left + uri + right).trimEnd())
      }),
      { numRuns: 2000 },
    )
  })
})
