import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatSize,
  parseBase64,
  parseFiles,
  resolveLink,
  splitFrontMatter,
  toShownName,
  toSkillUri,
} from './skill-files.ts'

const BASE = 'skill://orders/refunds/SKILL.md'

describe('files of skills', () => {
  it.each([
    ['iii://orders', 'skill://orders/SKILL.md'],
    ['iii://a_b/c_d', 'skill://a_b/c-d/SKILL.md'],
    ['iii://fn/orders/status', undefined],
    ['skill://orders/SKILL.md', undefined],
    ['iii://orders/../x', undefined],
    ['iii://', undefined],
  ])('%s lies at %s', (uri, of) => {
    expect(toSkillUri(uri)).toBe(of)
  })

  it('are those within the folder of the skill', () => {
    const resources = [
      { uri: 'skill://orders/SKILL.md', size: 3 },
      { uri: 'skill://orders/assets/a%20b.png', size: '9' },
      { uri: 'skill://other/SKILL.md', size: 3 },
      { uri: 7 },
      null,
    ]
    expect(parseFiles({ uri: 'skill://orders/SKILL.md', resources })).toEqual([
      { uri: 'skill://orders/SKILL.md', path: 'SKILL.md', size: 3 },
      { uri: 'skill://orders/assets/a%20b.png', path: 'assets/a b.png', size: 0 },
    ])
  })

  it('come of anything at all, without a failure', () => {
    fc.assert(fc.property(fc.anything(), (skill) => Array.isArray(parseFiles(skill))))
  })

  it.each([
    ['references/LIMITS.md', 'skill://orders/refunds/references/LIMITS.md'],
    ['./a b (1).md', 'skill://orders/refunds/a%20b%20(1).md'],
    ['a%20b.md?x#y', 'skill://orders/refunds/a%20b.md'],
    ['../SKILL.md', 'skill://orders/SKILL.md'],
    ['../../../x', undefined],
    ['/x', undefined],
    ['//example.com/x', undefined],
    ['\\\\example.com', undefined],
    ['https://example.com', undefined],
    ['javascript:alert(1)', undefined],
    ['#top', undefined],
    ['', undefined],
  ])('%j beside another leads to %s', (href, to) => {
    expect(resolveLink(href, BASE)).toBe(to)
  })

  it('are reached by the path from one to the other, whatever they are called', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== '.' && text !== '..')
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        const path = names.map((each) => encodeURIComponent(each.toWellFormed())).join('/')
        expect(resolveLink(`./${path}`, BASE)).toBe(`skill://orders/refunds/${path}`)
      }),
    )
  })

  it('have front matter, which is divided from the text', () => {
    fc.assert(fc.property(fc.string(), (text) => splitFrontMatter(text).join('') === text))
    expect(splitFrontMatter('---\r\nname: a\r\n---\r\n# A')).toEqual(['---\r\nname: a\r\n---\r\n', '# A'])
    expect(splitFrontMatter('# A\n---\nb\n---\n')[0]).toBe('')
  })

  it('have names, sizes and bytes', () => {
    expect([1, 999, 1_234, 4_000_000].map(formatSize)).toEqual(['1 byte', '999 bytes', '1.2 kB', '4.0 MB'])
    expect([toShownName('skill://a/b%20c.md'), toShownName('skill://a/%')]).toEqual(['b c.md', '%'])
    expect([parseBase64('AP8='), parseBase64('<b>')]).toEqual([new Uint8Array([0, 255]), undefined])
  })
})
