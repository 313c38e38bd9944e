import process from 'node:process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecretFilter } from './secret-filter.ts'

const CANARY = 's3cret canary/ü+"\\%41&<b>\''

/** Ways in which a server may say what it was told. */
const writings: readonly [string, (secret: string) => string][] = [
  ['as it is', (secret) => secret],
  ['in JSON', (secret) => JSON.stringify({ a: [secret] })],
  ['in JSON in JSON', (secret) => JSON.stringify(JSON.stringify([secret]))],
  ['in JSON with escaped slashes', (secret) => JSON.stringify(secret).replaceAll('/', '\\/')],
  ['in JSON of ASCII alone', (secret) => JSON.stringify(secret).replaceAll('ü', '\\u00fc')],
  ['in JSON of Go', (secret) => toEscapedJson(secret, /[&<>]/)],
  ['in JSON of .NET', (secret) => toEscapedJson(secret, /[^ -~]|[&<>'"+]/)],
  ['in JSON of Go in JSON', (secret) => JSON.stringify({ text: toEscapedJson(secret, /[&<>]/) })],
  ['in HTML', (secret) => toHtml(secret, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })],
  [
    'in HTML of Python',
    (secret) => toHtml(secret, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#x27;' }),
  ],
  ['in base64', (secret) => toBase64(secret)],
  ['in base64 behind one byte', (secret) => toBase64(`a${secret}`)],
  ['in base64 behind two bytes', (secret) => toBase64(`ab${secret}zz`)],
  ['in base64url', (secret) => Buffer.from(`x${secret}`).toString('base64url')],
  ['in base64 with escaped slashes', (secret) => toBase64(secret).replaceAll('/', '\\/')],
  ['in base64 of an address', (secret) => encodeURIComponent(toBase64(secret))],
  ['in wrapped base64', (secret) => toBase64(`User: ${secret}`).replace(/.{7}/g, '$&\r\n')],
  ['in wrapped base64 in JSON', (secret) => JSON.stringify(toBase64(`User: ${secret}`).replace(/.{7}/g, '$&\n'))],
  ['in base64 of mail in JSON', (secret) => JSON.stringify(toBase64(`User: ${secret}`).replace(/.{7}/g, '$&\r\n'))],
  ['in hex', (secret) => Buffer.from(secret).toString('hex')],
  ['percent-encoded', (secret) => encodeURIComponent(secret)],
  ['percent-encoded as a form', (secret) => new URLSearchParams({ a: secret }).toString()],
  ['percent-encoded to the last letter', (secret) => Buffer.from(secret).toString('hex').replace(/../g, '%$&')],
]

const toUnicode = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
/** As languages write JSON that escape more than has to be. */
const toEscapedJson = (text: string, escaped: RegExp) =>
  text.replace(/./gs, (unit) => (escaped.test(unit) ? toUnicode(unit) : JSON.stringify(unit).slice(1, -1)))
const toHtml = (text: string, entities: Readonly<Record<string, string>>) =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
const toBase64 = (text: string) => Buffer.from(text).toString('base64')

/** What somebody finds out who tries all of them backwards. */
function decodings(text: string): string[] {
  const tokens = text.replace(/\s+|\\[rn]/g, '').match(/[A-Za-z0-9+/_-]{4,}/g) ?? []
  const shifted = tokens.flatMap((token) => [0, 1, 2, 3].map((at) => Buffer.from(token.slice(at), 'base64').toString()))
  const hex = tokens.flatMap((token) => Buffer.from(token, 'hex').toString())
  const percent = text.replace(/(?:%[\da-f]{2})+/gi, (found) =>
    Buffer.from(found.replaceAll('%', ''), 'hex').toString(),
  )
  const units = text.replace(/\\+u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  const html = text.replaceAll('&lt;', '<').replaceAll('&amp;', '&')
  const others = [units, html, ...[text, units].map((one) => one.replaceAll('\\', ''))]
  return [text, ...shifted, ...hex, percent, percent.replaceAll('+', ' '), ...others]
}

describe('a secret of a server', () => {
  it.each([[`${CANARY} `], [`\t${CANARY}\n\n`]])(
    'of %j finds what is left when the blanks around it are taken away',
    (secret) => {
      const { text, value } = createSecretFilter([secret])
      expect(text(`Bearer ${CANARY}!`)).toBe('Bearer <secret>!')
      expect(value({ said: toBase64(CANARY) })).toEqual({ said: '<secret>' })
      expect(text(secret)).not.toContain(CANARY)
      expect(createSecretFilter(['pin7 ']).text('pin7')).toBe('<secret>')
    },
  )

  it.each(writings)('is taken out of a text that has it %s', (_, write) => {
    const filter = createSecretFilter([CANARY])
    const text = filter.text(`before ${write(CANARY)} after`)
    expect(text).toContain('<secret>')
    expect(text).toMatch(/^before .* after$/s)
    for (const decoded of decodings(text)) expect(decoded).not.toContain('canary')
  })

  it('survives in no writing', () => {
    const secret = fc.string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(...'abzAZ019+/=-_.~ "\\%ü€😀\n') })
    const around = fc.string({ maxLength: 12 })
    fc.assert(
      fc.property(secret, around, around, fc.constantFrom(...writings), (token, before, after, [, write]) => {
        fc.pre(!'<secret>'.includes(token))
        const text = createSecretFilter([token]).text(`${before}${write(token)}${after}`)
        for (const decoded of decodings(text)) expect(decoded).not.toContain(token)
      }),
    )
  })

  it('is taken out of keys, texts and numbers of a value, and everything else is the same object', () => {
    const filter = createSecretFilter([CANARY, '4711471147'])
    const rest = { list: [1, 'a', null, { deep: true }] }
    const value = JSON.parse(`{"${'__proto__'}":"x","n":4711471147}`) as Record<string, unknown>
    const clean = filter.value({ [CANARY]: rest, value }) as Record<string, unknown>
    expect(JSON.stringify(clean)).toBe(
      '{"<secret>":{"list":[1,"a",null,{"deep":true}]},"value":{"__proto__":"x","n":"<secret>"}}',
    )
    expect(clean['<secret>']).toBe(rest)
    expect(filter.value(rest)).toBe(rest)
    expect(filter.value({ [CANARY]: rest })).toEqual({ '<secret>': rest })
    expect(createSecretFilter(['4711']).value({ pin: 4711, year: 471 })).toEqual({ pin: '<secret>', year: 471 })
  })

  it('is found in its lines, in base64 only whole', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkq'.repeat(4)}\n${'hkiG9w0BAQEFAASC'.repeat(4)}\nQ==\n-----END PRIVATE KEY-----`
    const filter = createSecretFilter([key])
    expect(filter.text(`it is ${'hkiG9w0BAQEFAASC'.repeat(4)}!`)).toBe('it is <secret>!')
    expect(filter.text(Buffer.from(key).toString('base64'))).toMatch(/^<secret>/)
    expect(filter.text('Q==')).toBe('Q==')
  })

  it('is found as a form writes its blanks, beside what no form writes', () => {
    const filter = createSecretFilter(['a secret of words', 'another-secret'])
    expect(filter.text('a+secret+of+words, 100 %')).toBe('<secret>, 100 %')
    expect(filter.text('a+secret of%20words, another%2Dsecret')).toBe('<secret>, <secret>')
  })

  it('that is short is found as a word, and one that is shorter than anybody could keep is not looked for', () => {
    const filter = createSecretFilter(['hunter', '42', 'secret'])
    expect(filter.text('hunter hunters "hunter" 42 secret')).toBe('<secret> hunters "<secret>" 42 secret')
  })

  it('that is the beginning of another one leaves nothing of the other', () => {
    const filter = createSecretFilter(['abcdefgh', 'abcdefgh-and-more'])
    expect(filter.text('abcdefgh-and-more abcdefgh')).toBe('<secret> <secret>')
  })

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('is found in a deep value of %s, and what lies deeper than 100 levels is gone', (_, open, close) => {
    const wrap = (text: string, levels: number) => `${open.repeat(levels)}"${text}"${close.repeat(levels)}`
    const clean = (levels: number) =>
      JSON.stringify(createSecretFilter(['abcdefgh']).value(JSON.parse(wrap('abcdefgh', levels)) as unknown))
    expect(clean(100)).toBe(wrap('<secret>', 100))
    for (const levels of [101, 50_000]) expect(clean(levels)).toBe(wrap('[nested too deeply]', 100))
  })
})

describe('filtering', () => {
  it('is done after once', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 20 })), fc.json(), (secrets, json) => {
        const filter = createSecretFilter(secrets)
        const once = filter.value(JSON.parse(json) as unknown)
        expect(filter.value(once)).toEqual(once)
      }),
    )
  })

  it.each(['a line of a log with nothing in it\n', 'YSBwaWN0dXJlIGluIGJh+c2U2NCBvZiB/tYW55IGJ5dGVz'])(
    'looks for all ways to write many secrets in less than half the time that it takes to look for each, in %j',
    (line) => {
      const secrets = Array.from({ length: 400 }, (_, at) => `${at}-secret-token-${at * 7_919}`)
      const filter = createSecretFilter(secrets)
      const text = line.repeat(60_000)
      const oneWayEach = measure(() => secrets.filter((secret) => text.includes(secret)).length, 0)
      // There are at least ten ways to write each.
      expect(measure(() => filter.text(text), text)).toBeLessThan(5 * oneWayEach)
    },
  )
})

/** The least processor time of three times, in microseconds. */
function measure<T>(work: () => T, result: T): number {
  const takes = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage()
    expect(work()).toBe(result)
    return process.cpuUsage(before).user
  })
  return Math.min(...takes)
}
