import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fault } from './fault.ts'
import { explainUri, formatUri, parseUri, type ResourceUri, requireUri } from './uri.ts'

const accepted: [string, ResourceUri][] = [
  ['iii://skills', { kind: 'index' }],
  ['iii://orders', { kind: 'skill', id: 'orders' }],
  ['iii://orders/refunds', { kind: 'skill', id: 'orders/refunds' }],
  ['iii://a/b/c/d/e', { kind: 'skill', id: 'a/b/c/d/e' }],
  ['iii://docs/fn', { kind: 'skill', id: 'docs/fn' }],
  ['iii://functions', { kind: 'skill', id: 'functions' }],
  ['iii://skills/a', { kind: 'skill', id: 'skills/a' }],
  ['iii://fn/foo', { kind: 'section', functionId: 'foo' }],
  ['iii://fn/scope/foo', { kind: 'section', functionId: 'scope::foo' }],
  ['iii://fn/a/b/c/d', { kind: 'section', functionId: 'a::b::c::d' }],
  ['iii://fn/Orders/Create_Now-2', { kind: 'section', functionId: 'Orders::Create_Now-2' }],
  ['iii://fn/fn/fn', { kind: 'section', functionId: 'fn::fn' }],
  ['iii://fn/@orders/a', { kind: 'section', functionId: 'a', namespace: 'orders' }],
  ['iii://fn/@fn/a/b', { kind: 'section', functionId: 'a::b', namespace: 'fn' }],
  ['iii://fn/@default/a', { kind: 'section', functionId: 'a', namespace: 'default' }],
  [`iii://fn/${'a'.repeat(1091)}`, { kind: 'section', functionId: 'a'.repeat(1091) }],
]

const onlyLower = "segment may only contain lowercase ASCII letters, digits, '-' and '_'"
const onlyAscii = "segment may only contain ASCII letters, digits, '-' and '_'"
const noEmpty = "Resource URI may not contain empty segments (no leading, trailing, or doubled '/')"
const noOld = "Resource URI may not contain '::' (the section form of 0.1); write"
const a65 = 'a'.repeat(65)

const refused: [string, string][] = [
  ['', 'Resource URI must start with iii://: '],
  ['orders', 'Resource URI must start with iii://: orders'],
  ['https://x/y', 'Resource URI must start with iii://: https://x/y'],
  ['III://orders', 'Resource URI must start with iii://: III://orders'],
  [' iii://orders', 'Resource URI must start with iii://:  iii://orders'],
  ['iii:/orders', 'Resource URI must start with iii://: iii:/orders'],
  ['iii://', 'Empty resource id: iii://'],
  ['iii:///', `${noEmpty}: iii:///`],
  ['iii:///orders', `${noEmpty}: iii:///orders`],
  ['iii://orders/', `${noEmpty}: iii://orders/`],
  ['iii://a//b', `${noEmpty}: iii://a//b`],
  ['iii://fn/', `${noEmpty}: iii://fn/`],
  ['iii://fn//a', `${noEmpty}: iii://fn//a`],
  ['iii://skills/', `${noEmpty}: iii://skills/`],
  ['iii://fn', "Section URI 'iii://fn' is missing a function path: expected iii://fn/{a}/{b}/...: iii://fn"],
  ['iii://fn/@', `invalid section URI segment "@": ${onlyAscii}: "@"`],
  ['iii://fn/@/a', `invalid section URI segment "@": ${onlyAscii}: "@"`],
  [
    'iii://fn/@orders',
    "Section URI 'iii://fn' is missing a function path: expected iii://fn/{a}/{b}/...: iii://fn/@orders",
  ],
  ['iii://fn/@a/@b/c', `invalid section URI segment "@b": ${onlyAscii}: "@b"`],
  ['iii://fn/@v1.2/c', `invalid section URI segment "@v1.2": ${onlyAscii}: "@v1.2"`],
  ['iii://fn/a/@b', `invalid section URI segment "@b": ${onlyAscii}: "@b"`],
  ['iii://fn/a.b', `invalid section URI segment "a.b": ${onlyAscii}: "a.b"`],
  ['iii://fn/a/%2e%2e', `invalid section URI segment "%2e%2e": ${onlyAscii}: "%2e%2e"`],
  ['iii://fn/..', `invalid section URI segment "..": ${onlyAscii}: ".."`],
  ['iii://fn/a:b', `invalid section URI segment "a:b": ${onlyAscii}: "a:b"`],
  ['iii://fn/a\n', `invalid section URI segment "a\n": ${onlyAscii}: "a\n"`],
  ['iii://fn/\ud800', `invalid section URI segment "\ufffd": ${onlyAscii}: "\ufffd"`],
  ['iii://Orders', `invalid id (segment 1 of "Orders"): ${onlyLower}: "Orders"`],
  ['iii://FN/a', `invalid id (segment 1 of "FN/a"): ${onlyLower}: "FN"`],
  ['iii://Skills', `invalid id (segment 1 of "Skills"): ${onlyLower}: "Skills"`],
  ['iii://a/../b', `invalid id (segment 2 of "a/../b"): ${onlyLower}: ".."`],
  ['iii://a?b', `invalid id (segment 1 of "a?b"): ${onlyLower}: "a?b"`],
  ['iii://user@a', `invalid id (segment 1 of "user@a"): ${onlyLower}: "user@a"`],
  [`iii://${a65}`, `invalid id (segment 1 of "${a65}"): segment too long (65 chars; max 64): "${a65}"`],
  ['iii://x/worker::fn', `${noOld} iii://fn/worker/fn: iii://x/worker::fn`],
  ['iii://worker::fn', `${noOld} iii://fn/worker/fn: iii://worker::fn`],
  ['iii://x/a::b::c', `${noOld} iii://fn/a/b/c: iii://x/a::b::c`],
  ['iii://fn/orders::create', `${noOld} iii://fn/orders/create: iii://fn/orders::create`],
  ['iii://fn/orders/a::b', `${noOld} iii://fn/orders/a/b: iii://fn/orders/a::b`],
  ['iii://x/a::b.c', `${noOld} iii://fn/{a}/{b}/... for the function a::b::...: iii://x/a::b.c`],
  ['iii://x/::', `${noOld} iii://fn/{a}/{b}/... for the function a::b::...: iii://x/::`],
  [`iii://fn/${'a'.repeat(1092)}`, 'Resource URI is too long (1101 characters; max 1100)'],
]

describe('an iii:// address', () => {
  it.each(accepted)('%s is read and written back', (text, uri) => {
    expect(parseUri(text)).toEqual(uri)
    expect(formatUri(uri)).toBe(text)
    expect(explainUri(text)).toBeUndefined()
    expect(requireUri(text)).toEqual(uri)
  })

  it.each(refused)('%j is refused with what would be right', (text, problem) => {
    expect(explainUri(text)).toBe(problem)
    expect(parseUri(text)).toBeUndefined()
    expect(() => requireUri(text)).toThrow(new Fault('invalid_input', problem))
  })

  it('has the text of its id when the id is too long', () => {
    const id = `${'a/'.repeat(512)}ab`
    expect(explainUri(`iii://${id}`)).toBe(`id too long (1026 chars; max 1024): "${id}"`)
  })

  it('that is no text at all is refused, not thrown at', () => {
    for (const value of [undefined, null, 7, {}, ['iii://a']]) {
      expect(parseUri(value as unknown as string)).toBeUndefined()
      expect(explainUri(value as unknown as string)).toBe('Resource URI must be a string that starts with iii://')
    }
  })
})

describe('a section', () => {
  it.each(['a/b', 'a.b', 'a:b', '', 'a::', '::a', 'a::::b', 'ä::b'])(
    'of the function %j has no address',
    (functionId) => {
      expect(() => formatUri({ kind: 'section', functionId })).toThrow(
        `Function '${functionId}' has no section URI: ${onlyAscii}`,
      )
    },
  )

  it('that is too long to be shown is named by its beginning', () => {
    const functionId = '.'.repeat(100_000)
    const shown = functionId.slice(0, 1100)
    const text = `Function '${shown}' has no section URI: ${onlyAscii}: "${shown}"`
    expect(() => formatUri({ kind: 'section', functionId })).toThrow(new Fault('invalid_input', text))
  })
})

const segment = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
const skillSegment = fc.stringMatching(/^[a-z0-9_-]{1,12}$/)
const paths = fc.array(skillSegment, { minLength: 1, maxLength: 8 }).filter(([root]) => root !== 'fn')
const sections = fc.array(segment, { minLength: 1, maxLength: 8 })
const uris: fc.Arbitrary<ResourceUri> = fc.oneof(
  fc.constant<ResourceUri>({ kind: 'index' }),
  paths
    .filter((path) => path.join('/') !== 'skills')
    .map((path): ResourceUri => ({ kind: 'skill', id: path.join('/') })),
  sections.map((path): ResourceUri => ({ kind: 'section', functionId: path.join('::') })),
)
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'iii://',
        'fn',
        'fn/',
        'skills',
        '/',
        '//',
        '/../',
        '%',
        '%2e',
        '\\',
        '?',
        '#',
        '@',
        ':',
        '::',
        '\t',
        '\0',
        '\u200b',
      ),
      fc.constantFrom('a', 'B', '9', '-', '_', '.', 'state', '\u212a', '\ud800', '\udc00'),
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

describe('every address', () => {
  it('is read back from what was written', () => {
    fc.assert(
      fc.property(uris, (uri) => {
        expect(parseUri(formatUri(uri))).toEqual(uri)
      }),
      { numRuns: 2000 },
    )
  })

  it('has one spelling', () => {
    const texts = fc.oneof(
      hostile,
      hostile.map((rest) => `iii://${rest}`),
      hostile.map((rest) => `iii://fn/${rest}`),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const uri = parseUri(text)
        if (uri) expect(formatUri(uri)).toBe(text)
        else expect(explainUri(text)?.isWellFormed()).toBe(true)
        expect(uri === undefined).toBe(explainUri(text) !== undefined)
        expect(uri === undefined).toBe(!matchesGrammar(text))
      }),
      { numRuns: 5000 },
    )
  })

  it('turns into a refusal when a foreign character is put anywhere', () => {
    const foreign = fc.constantFrom(
      '%',
      '\\',
      '?',
      '#',
      '@',
      ':',
      '\t',
      '\n',
      '\0',
      '//',
      '/./',
      '/../',
      '\u200b',
      ' ',
      '\ud800',
    )
    fc.assert(
      fc.property(sections, foreign, fc.nat(), (path, odd, at) => {
        const text = `iii://fn/${path.join('/')}`
        const place = at % (text.length + 1)
        const [start, end] = [text.slice(0, place), text.slice(place)]
        // The one place where it means something: before a namespace.
        if (odd === '@' && start === 'iii://fn/' && path.length > 1) return
        expect(parseUri(start + odd + end)).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
  })

  it('of a section in another namespace is read back, and changes nothing of the address without', () => {
    const namespaces = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/)
    fc.assert(
      fc.property(sections, namespaces, (path, namespace) => {
        const here: ResourceUri = { kind: 'section', functionId: path.join('::') }
        const uri = formatUri(here)
        expect(formatUri({ ...here, namespace })).toBe(uri.replace('fn/', `fn/@${namespace}/`))
        expect(parseUri(uri)).toEqual(here)
        expect(parseUri(formatUri({ ...here, namespace }))).toEqual({ ...here, namespace })
      }),
    )
    for (const namespace of ['', 'v1.2', 'a/b', 'ä', ' ']) {
      expect(() => formatUri({ kind: 'section', functionId: 'a', namespace })).toThrow('has no section URI')
    }
  })

  it('never gives a skill an id that is the index or a section', () => {
    fc.assert(
      fc.property(hostile, (rest) => {
        const uri = parseUri(`iii://${rest}`)
        if (uri?.kind === 'skill') expect(uri.id).not.toMatch(/^(?:fn(?:\/|$)|skills$)/)
      }),
      { numRuns: 2000 },
    )
  })

  it('is judged in time that grows with its length alone', () => {
    for (const odd of ['/', 'a', ':', 'a/', 'a::', '\ud800']) {
      expect(explainUri(`iii://${odd.repeat(4_000_000 / odd.length)}`)).toContain('too long')
    }
  })
})

/** The grammar once more, as one expression and otherwise than the code has it. */
function matchesGrammar(text: string): boolean {
  if (text.length > 1100) return false
  if (/^iii:\/\/fn(?:\/@[\w-]+)?(?:\/[\w-]+)+$/.test(text)) return true
  return /^iii:\/\/(?!fn(?:\/|$))[a-z\d_-]{1,64}(?:\/[a-z\d_-]{1,64})*$/.test(text) && text.length <= 6 + 1024
}
