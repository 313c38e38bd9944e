import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { ANY_CHARACTER } from './uri-match.ts'
import { parseUriTemplate, type UriTemplate } from './uri-template.ts'

function parse(text: string): UriTemplate {
  const template = parseUriTemplate(text)
  if (typeof template === 'string') throw new Error(template)
  return template
}

describe('an address that fits a template', () => {
  it.each<[string, string, Record<string, string>]>([
    ['test://template/{id}/data', 'test://template/123/data', { id: '123' }],
    ['test://a/{id}', 'test://a/caf%C3%A9', { id: 'café' }],
    ['test://a/{id}', 'test://a/a%2Fb', { id: 'a/b' }],
    ['file://{+path}', 'file:///a/b.txt?x#y', { path: '/a/b.txt?x#y' }],
    ['file://{+path}/{name}', 'file://a/b/c', { path: 'a/b', name: 'c' }],
    ['test://a{/b,c}', 'test://a/1/2', { b: '1', c: '2' }],
    ['test://a/x{.ext}', 'test://a/x.md', { ext: 'md' }],
    ['test://a{#part}', 'test://a#one/two', { part: 'one/two' }],
    ['test://p/{x,y}', 'test://p/1,2', { x: '1', y: '2' }],
    ['test://p{;x,y}', 'test://p;y=2;x=1', { x: '1', y: '2' }],
    ['test://s{?q,page}', 'test://s?page=2&q=a%20b', { q: 'a b', page: '2' }],
    ['test://s{?q,page}', 'test://s', {}],
    ['test://s?fixed=1{&q}', 'test://s?fixed=1&q=x=y', { q: 'x=y' }],
    ['test://{a}-{b}', 'test://x-y-z', { a: 'x-y', b: 'z' }],
    ['test://{+a}/x{b}', 'test://p/xq/xr', { a: 'p/xq', b: 'r' }],
    ['test://a', 'test://a', {}],
  ])('%s: %s', (template, uri, variables) => {
    expect(parse(template).match(uri)).toEqual(variables)
  })

  it.each([
    ['test://template/{id}/data', 'test://template//data'],
    ['test://template/{id}/data', 'test://template/1/2/data'],
    ['test://template/{id}/data', 'test://template/1/data/'],
    ['test://a/{id}', 'TEST://a/1'],
    ['test://a/{id}', 'test://a/%E0'],
    ['test://a/{id}', 'test://a/%'],
    ['test://a/{id}', 'test://a/a b'],
    ['test://s{?q}', 'test://s?other=1'],
    ['test://s{?q}', 'test://s?q=1&q=2'],
    ['test://s{?q}', 'test://s?'],
  ])('is another one: %s is not %s', (template, uri) => {
    expect(parse(template).match(uri)).toBeUndefined()
  })

  it('gives back the values that it was made of', () => {
    const value = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.isWellFormed())
    fc.assert(
      fc.property(value, value, fc.array(value, { minLength: 1 }), (a, b, path) => {
        const encode = (text: string) =>
          encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
        const uri = `test://x/${encode(a)}/${path.map(encode).join('/')}?b=${encode(b)}`
        const found = parse('test://x/{a}/{+path}{?b}').match(uri)
        // A path may hold what looks like a query: what matters is that nothing is lost.
        expect(found?.['a']).toBe(a)
        expect(`${found?.['path']}`.startsWith(path.join('/'))).toBe(true)
      }),
    )
  })

  it('is found out in time linear to it', async () => {
    const template = parse(`test://${Array.from({ length: 20 }, (_, index) => `{+v${index}}a`).join('')}`)
    const match = (uri: string) => expect(template.match(uri)).toBeUndefined()
    await expect(match).toTakeLinearTime((length) => `test://${'a'.repeat(length)}!`, 100_000)
  })
})

describe('an address that many templates are held against', () => {
  const uri = `test://${'a'.repeat(1_000)}`
  let looks: MockInstance<RegExp['test']>

  beforeEach(() => {
    looks = vi.spyOn(ANY_CHARACTER, 'test')
  })
  afterEach(() => {
    looks.mockRestore()
  })

  it('is looked at once by each, however many variables it has', () => {
    const template = parse(`test://${Array.from({ length: 60 }, (_, index) => `{+v${index}}`).join('')}`)
    looks.mockClear()
    expect(template.match(`${uri} `)).toBeUndefined()
    expect(looks.mock.calls.length).toBeLessThanOrEqual(uri.length + 1)
  })

  it('is not looked at by those that begin otherwise', () => {
    const template = parse('other://{+path}/{+name}')
    looks.mockClear()
    expect(template.match(uri)).toBeUndefined()
    expect(looks).not.toHaveBeenCalled()
  })
})

describe('a template', () => {
  it.each([
    ['test://{', /brace/],
    ['test://{}', /names without/],
    ['test://{a*}', /names without/],
    ['test://{a:3}', /names without/],
    ['test://{a}{a}', /twice/],
    [`test://${'x'.repeat(2_000)}`, /longer/],
  ])('that cannot be read says why: %s', (text, words) => {
    expect(parseUriTemplate(text)).toMatch(words)
  })

  it('never throws, whatever it is and whatever is held against it', () => {
    const piece = fc.constantFrom('{', '}', '{a}', '{+b}', '{?c,d}', '{/e}', 'test://', '/', '%', 'x')
    const text = fc.array(piece).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, fc.string({ unit: 'binary' }), text, (template, uri, other) => {
        const parsed = parseUriTemplate(template)
        if (typeof parsed === 'string') return
        parsed.match(uri)
        parsed.match(other)
      }),
    )
  })
})
