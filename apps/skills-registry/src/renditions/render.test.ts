import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readAgentFrontMatter } from './front-matter.ts'
import { toRendition } from './render.ts'

describe('the SKILL.md of a skill', () => {
  it('has texts for metadata and compatibility that hosts refuse whole pages for', () => {
    const typed = 'metadata: { version: 2, deep: { a: [1] }, kept: x }\ncompatibility: [linux]\nlicense: MIT'
    const rendition = toRendition('orders', `---\nname: orders\ndescription: Orders.\n${typed}\n---\nText.\n`)
    expect(rendition).toMatchObject({
      isRendered: true,
      reason: 'its metadata has no text as version: quote the value',
    })
    expect(rendition.frontmatter).toEqual({
      name: 'orders',
      description: 'Orders.',
      license: 'MIT',
      metadata: { version: '2', deep: '{"a":[1]}', kept: 'x', 'iii-source': 'iii://orders' },
    })
  })

  it.each([
    ['# Order desk\n\nText.\n', 'Order desk'],
    ['---\nname: Order desk\n---\n# Orders\n', 'Order desk'],
    ['---\nname: orders\n---\n# Order `desk`\n', undefined],
    ['---\nname: [desk]\n---\n# Order `desk`\n', 'Order desk'],
    ['---\nmetadata: { title: Own }\n---\n# Order desk\n', 'Own'],
    ['# orders\n\nText.\n', undefined],
    ['Text.\n', undefined],
  ])('has its title beside its name: %j', (text, title) => {
    const { metadata } = toRendition('orders', text).frontmatter
    expect(metadata).toEqual({ ...(title === undefined ? {} : { title }), 'iii-source': 'iii://orders' })
  })

  it('has what fits, also where everything is plain text', () => {
    const fields = Array.from({ length: 20 }, (_, at) => `  ${'k'.repeat(at + 1)}: ${'word '.repeat(76)}end`)
    const rendition = toRendition(
      'orders',
      `---\nmetadata:\n${fields.join('\n')}\n---\n# Orders\n\n${'all of it '.repeat(90)}\n`,
    )
    expect(readAgentFrontMatter(rendition.text)).toMatchObject({ fields: rendition.frontmatter })
  })

  it('has what ends a line for some readers alone as escapes, so that all of them read the same', () => {
    const ends = '\\u2028---\\u2028\\u0085'
    const { text, frontmatter } = toRendition(
      'orders',
      `---\nname: "a${ends}b"\nkept: {"${ends}": "${ends}"}\n---\nText.\n`,
    )
    const raw = '\u2028---\u2028\u0085'
    expect(frontmatter).toMatchObject({ metadata: { title: `a${raw}b` }, kept: { [raw]: raw } })
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/)
    const [, block = ''] = /^---\n([\s\S]*?)^---[\t ]*$/m.exec(text) ?? []
    expect(parse(block)).toEqual(frontmatter)
  })

  it('is the text itself where that is one, with texts as metadata', () => {
    const text =
      '---\nname: orders\ndescription: Orders.\ncompatibility: Linux\nmetadata:\n  version: "2"\n---\nText.\n'
    expect(toRendition('orders', text)).toMatchObject({ isRendered: false, text })
  })
})
