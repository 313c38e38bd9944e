import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { REDACTED, redact } from './index.ts'

const maxBytes = 65_536
const clean = (value: unknown, schema?: unknown) => redact(value, { schema, maxBytes })?.value

describe('a value that is kept', () => {
  it.each([
    ['none', undefined],
    ['digest', undefined],
    ['redacted', { a: 1 }],
    [undefined, { a: 1 }],
  ] as const)('is what a function with the record %s allows', (record, kept) => {
    expect(redact({ a: 1 }, { record, maxBytes })?.value).toEqual(kept)
  })

  it.each([
    ['writeOnly', { type: 'object', properties: { pin: { type: 'integer', writeOnly: true } } }],
    ['format password', { type: 'object', properties: { pin: { type: 'string', format: 'password' } } }],
    ['one of several forms', { anyOf: [{}, { properties: { pin: { oneOf: [{}, { writeOnly: true }] } } }] }],
    [
      'a reference',
      {
        $ref: '#/$defs/a~1b',
        $defs: { 'a/b': { properties: { pin: { $ref: '#/$defs/p' } } }, p: { writeOnly: true } },
      },
    ],
    ['additional properties', { additionalProperties: { writeOnly: true } }],
    ['a pattern of names', { patternProperties: { '^p': { writeOnly: true } } }],
    ['the whole', { writeOnly: true }],
  ])('has no secret of its schema (%s)', (_, schema) => {
    expect(JSON.stringify(clean({ pin: 4711 }, schema))).not.toContain('4711')
  })

  it('has no secret of its schema in a list', () => {
    expect(clean(['a', 'b'], { items: { format: 'password' } })).toEqual([REDACTED, REDACTED])
    expect(clean(['a', 'b'], { prefixItems: [{}, { writeOnly: true }] })).toEqual(['a', REDACTED])
    expect(clean(['a', 'b'], { items: [{ writeOnly: true }], additionalItems: {} })).toEqual([REDACTED, 'b'])
  })

  it('has no secret of a schema that zod wrote', () => {
    const schema = z.toJSONSchema(z.object({ user: z.string(), door: z.string().meta({ writeOnly: true }) }))
    expect(clean({ user: 'me', door: 'open sesame' }, schema)).toEqual({ user: 'me', door: REDACTED })
  })

  it.each([
    ...[
      'password',
      'DB_PASSWORD',
      'userPassword',
      'passwd',
      'pwd',
      'passphrase',
      'client_secret',
      'clientsecret',
      'SecretKey',
    ],
    ...[
      'token',
      'accessToken',
      'refresh-token',
      'api_key',
      'apiKey',
      'APIKEY',
      'X-API-Key',
      'x api key',
      'authorization',
    ],
    ...[
      'Proxy-Authorization',
      'cookie',
      'Set-Cookie',
      'credentials',
      'aws.credential',
      'private_key',
      'privateKey',
      'signing_key',
    ],
  ])('has nothing under the key %s', (key) => {
    expect(clean({ [key]: 'hunter2' })).toEqual({ [key]: REDACTED })
    expect(clean({ [key]: 4711 })).toEqual({ [key]: REDACTED })
    expect(clean({ [key]: { deep: ['hunter2'] } })).toEqual({ [key]: REDACTED })
    expect(clean({ headers: [{ name: key, value: 'hunter2' }] })).toEqual({ headers: [{ name: key, value: REDACTED }] })
  })

  it.each(['pass', 'SMTP_PASS', 'smtp-pass', 'userPass', 'otp'])('has no text under the key %s', (key) => {
    expect(clean({ [key]: 'hunter2' })).toEqual({ [key]: REDACTED })
    expect(clean({ env: [{ key, value: 'hunter2' }] })).toEqual({ env: [{ key, value: REDACTED }] })
  })

  it.each([
    { pass: 12, fail: 1, bypass: 'road', compass: 'north', passes: 'two' },
    {
      keyboard: 'qwerty',
      max_tokens: 100,
      promptTokens: 5,
      password: null,
      cookie: false,
      monkey: 'a',
      public_key: 'b',
    },
    { pass: true, author: 'me', name: 'me', value: 'mine', api: 'v1' },
  ])('keeps what is no secret (%j)', (value) => {
    expect(redact(value, { maxBytes })).toEqual({ value, secrets: 0, bytes: JSON.stringify(value).length })
  })

  it.each([
    ['Bearer abc123.def', 'Bearer <secret>'],
    ['got eyJhbGciOiJI.eyJzdWIi.c2ln here', 'got <secret> here'],
    ['-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----', '<secret>'],
    ['key sk-proj-abcdefgh12345678 ghp_abcdefghijklmnop0123', 'key <secret> <secret>'],
    ['postgres://admin:hunter2@db/orders', 'postgres://<secret>@db/orders'],
    ['postgres://admin:hunt@er2@db/orders', 'postgres://<secret>@db/orders'],
    ['amqp://me:hunter2@mq?mail=ada@example.com', 'amqp://<secret>@mq?mail=ada@example.com'],
    ['{"password":"hunter2"}', '{"password":"<secret>"}'],
    ['DB_PASSWORD=hunter2 npm start', 'DB_PASSWORD=<secret> npm start'],
    ['psql --password hunter -h db', 'psql --password <secret> -h db'],
  ])('has no text in which a secret can be seen (%j)', (text, kept) => {
    expect(clean(text)).toBe(kept)
    expect(clean({ deep: [text] })).toEqual({ deep: [kept] })
    expect(Object.keys(clean({ [text]: 1 }) ?? {})).toEqual([kept])
  })

  it('has no word behind a flag that says so, in a list of words', () => {
    const words = [
      'deploy',
      '--db-password',
      'hunter2',
      '--token',
      '--dry',
      '-apiKey',
      'x',
      '--token-file',
      'a',
      '--n',
      5,
    ]
    const kept = [
      'deploy',
      '--db-password',
      REDACTED,
      '--token',
      '--dry',
      '-apiKey',
      REDACTED,
      '--token-file',
      'a',
      '--n',
      5,
    ]
    expect(clean({ args: words })).toEqual({ args: kept })
    expect(redact(words, { maxBytes })?.secrets).toBe(2)
  })

  it('counts the secrets that it had', () => {
    expect(redact({ token: 'a', list: ['Bearer abc123', 'b'] }, { maxBytes })?.secrets).toBe(2)
  })

  it('is not too large, neither before nor after', () => {
    expect(redact('a'.repeat(98), { maxBytes: 100 })?.bytes).toBe(100)
    expect(redact('a'.repeat(99), { maxBytes: 100 })).toBeUndefined()
    const key = `-----BEGIN PRIVATE KEY-----${'a'.repeat(100)}-----END PRIVATE KEY-----`
    expect(redact([key, 'Bearer abc123'], { maxBytes: 100 })).toBeUndefined()
  })

  it('never has what stood under a secret name, wherever that was, whatever the schema is', () => {
    const canary = 'hunter2-canary'
    const name = fc.constantFrom('password', 'API-Key', 'sessionToken')
    const value = fc.object({ maxDepth: 4, key: name, values: [fc.constant(canary)] })
    const schema = fc.oneof(
      fc.anything(),
      fc.constant({ $ref: '#' }),
      fc.constant({ allOf: [{ $ref: '#' }, { $ref: '#/allOf/0' }] }),
    )
    fc.assert(
      fc.property(value, schema, (secret, rules) => {
        expect(JSON.stringify(clean(secret, rules)) ?? '').not.toContain(canary)
      }),
    )
  })

  it('is nothing where a schema has more for it than is looked at, which may call it a secret', () => {
    const $defs = { secret: { writeOnly: true } }
    const forms = (count: number) => Array.from({ length: count }, () => ({}))
    const list = (count: number) => Array.from({ length: count }, () => 1)
    expect(clean({ a: 1 }, { anyOf: forms(300_000), $defs })).toBeUndefined()
    expect(clean(list(5_000), { items: { anyOf: forms(190) }, $defs })).toBeUndefined()
    const patternProperties = Object.fromEntries(forms(150_000).map((form, index) => [index, form]))
    expect(clean({ a: 1, b: 2 }, { patternProperties, $defs })).toBeUndefined()
    expect(clean(list(30_000), { items: { anyOf: forms(5) }, $defs })).toHaveLength(30_000)
  })

  it('is made in time, also of a schema that leads everywhere', async () => {
    const properties = { a: { $ref: '#' }, end: { format: 'password' } }
    const forms = Array.from({ length: 90 }, () => ({ anyOf: [{ $ref: '#' }], properties }))
    const toValue = (depth: number, end = 'x'): object => (depth === 0 ? { end } : { a: toValue(depth - 1, end) })
    const cleanAll = (value: object) => clean(value, { anyOf: forms })
    expect(cleanAll(toValue(64))).toEqual(toValue(64, '<secret>'))
    await expect(cleanAll).toTakeLinearTime(toValue, 64)
  })

  it('is made in time of addresses that are nothing but colons', async () => {
    const redactAll = (text: string) => redact(text, { maxBytes: 262_144 })
    await expect(redactAll).toTakeLinearTime((size) => `://${':'.repeat(size)} `.repeat(500), 512)
  })
})
