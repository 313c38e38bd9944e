import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toPlainMessage } from './index.ts'

describe('a secret in a message', () => {
  it.each([
    ['postgres://admin:pw@host/db', 'postgres://<secret>@host/db'],
    ['https://user:pw@host', 'https://<secret>@host'],
    ['https://oauth2:ghp_abcdefghijklmnop0123@host/a', 'https://<secret>@host/a'],
    ['redis://:p/w#x?y@host:1/0', 'redis://<secret>@host:1/0'],
    ["amqp://u:p'(w,d)@host", 'amqp://<secret>@host'],
    ['ftp://u:p@ss@[::1]/data/x', 'ftp://<secret>@[::1]/data/x'],
    ["'https://user:pw@host/a','a@b'", "'https://<secret>@host/a','a@b'"],
    ['password=hunter2', 'password=<secret>'],
    ['PASSWORD = hunter2; DB_PASSWD=x', 'PASSWORD = <secret>; DB_PASSWD=<secret>'],
    ['token=abc&x=1', 'token=<secret>&x=1'],
    ['https://x.dev/a?access_token=abc&x=1', 'https://x.dev/a?access_token=<secret>&x=1'],
    ['api_key=abc apiKey=abc x-api-key: k1234567', 'api_key=<secret> apiKey=<secret> x-api-key: <secret>'],
    ['aws_secret_access_key=abc/def+ghi=', 'aws_secret_access_key=<secret>'],
    ['--client-secret="a b" next', '--client-secret="<secret>" next'],
    ['{"password":"a\\"b","user":"me"}', '{"password":"<secret>","user":"me"}'],
    ['"{\\"password\\":\\"a b\\",\\"user\\":1}"', '"{\\"password\\":\\"<secret>\\",\\"user\\":1}"'],
    ["{ token: 'abc' }", "{ token: '<secret>' }"],
    ['password: hunter2', 'password: <secret>'],
    ['token: password: hunter2', 'token: password: <secret>'],
    ['Authorization: Bearer abc', 'Authorization: Bearer <secret>'],
    ['authorization=Basic dXNlcjpwYXNz', 'authorization=Basic <secret>'],
    ['{"Authorization":"Bearer abc"}', '{"Authorization":"<secret>"}'],
    ['rejected: bearer abc123.def', 'rejected: bearer <secret>'],
    ['Cookie: sid=abc; theme=dark\nnext', 'Cookie: <secret>\nnext'],
    ['got eyJhbGciOiJI.eyJzdWIi.c2ln here', 'got <secret> here'],
    ['key sk-proj-abcdefgh12345678', 'key <secret>'],
    ['ghp_abcdefghijklmnop0123 AKIAABCDEFGHIJKLMNOP', '<secret> <secret>'],
    ['the token is iii_AbC-0_AbC-0_AbC-0_AbC-0_AbC-0_AbC-0_AbC-0_A_0123abcd.', 'the token is <secret>.'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----.', '<secret>.'],
  ])('is hidden in %j', (text, plain) => {
    expect(toPlainMessage(text)).toBe(plain)
  })

  it.each([
    'password: expected string, received undefined',
    'token: must be at least 8 characters',
    'Unexpected token = in JSON at position 3',
    "Function 'token::create' is not registered on the engine",
    'if (token === undefined) or token => x',
    'Bearer authentication is required, basic types',
    'max_tokens=100, token_count=5, tokens: 5',
    'password=',
    'in secret:12:5 and token:3',
    'mail me@example.com, pkg@1.2.3, https://unpkg.com/@scope/pkg@1.0.0, git@github.com:a/b.git',
    'sk-SK and eyJ',
    'the tool iii_trigger_register and iii_worker_register',
  ])('is not seen in %j', (text) => {
    expect(toPlainMessage(text)).toBe(text)
  })

  it('is hidden behind every name that says so, in every usual writing', () => {
    const name = fc.constantFrom(
      ...[
        'password',
        'PASSWD',
        'db_password',
        'passphrase',
        'secret',
        'clientSecret',
        'token',
        'ACCESS_TOKEN',
        'authToken',
      ],
      ...[
        'api_key',
        'api-key',
        'apiKey',
        'secret_key',
        'privateKey',
        'AccountKey',
        'credential',
        'signature',
        'authorization',
      ],
    )
    const value = fc.stringMatching(/^[A-Za-z0-9+/_.~-]{2,24}$/).map((text) => `zq9${text}qz`)
    const writing = fc.constantFrom<(name: string, value: string) => string>(
      (n, v) => `${n}=${v}`,
      (n, v) => `--${n} = '${v}'`,
      (n, v) => `{"${n}": "${v}"}`,
      (n, v) => `{\\"${n}\\":\\"${v}\\"}`,
      (n, v) => `${n}:${v}`,
      (n, v) => `${n}: ${v}`,
      (n, v) => `https://iii.dev/a?${n}=${v}&b=1`,
      (n, v) => `https://${n}:${v.replaceAll('/', '')}@iii.dev/a`,
    )
    const around = fc.constantFrom('', ' ', '(', ')', ', ', '; ', '\n', 'error: ', '打')
    fc.assert(
      fc.property(around, name, value, writing, around, (left, key, secret, write, right) => {
        const plain = toPlainMessage(left + write(key, secret) + right)
        expect(plain).not.toMatch(/zq9|qz/)
      }),
      { numRuns: 3000 },
    )
  })
})
