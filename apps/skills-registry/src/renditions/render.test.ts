import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toOutline } from '../markdown/outline.ts'
import { readAgentFrontMatter } from './front-matter.ts'
import { RENDITION, toRendition, toSha256 } from './render.ts'

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

  it('has the whole description of front matter that is no YAML, or of which only a part is', () => {
    const long = `Use this when: ${'somebody asks for it '.repeat(20)}`.trim()
    for (const other of ['', 'globs: *.ts, *.tsx\n', 'owner: @desk\n']) {
      const text = `---\nname: orders\n${other}description: ${long}\nnote: a: b\n---\n# Orders\n`
      expect(toRendition('orders', text).frontmatter).toMatchObject({ name: 'orders', description: long })
    }
    const broken = '---\nname: orders\ndescription: "\\uD800 \\e[31m red"\nnote: @desk\n---\n'
    expect(toRendition('orders', broken).frontmatter).toMatchObject({ description: '\ufffd red' })
  })

  it('has the numbers of metadata as they were written', () => {
    const text = '---\nname: orders\ndescription: Orders.\nmetadata:\n  version: 1.10\n  mode: 010\n  none:\n---\n'
    const { metadata } = toRendition('orders', text).frontmatter
    expect(metadata).toEqual({ version: '1.10', mode: '010', none: '', 'iii-source': 'iii://orders' })
  })

  it('is told to need an end where front matter has none', () => {
    const reason =
      'it begins with a line of --- and no other one ends its front matter: write one behind the description'
    for (const end of ['', '...\n', ' ---\n']) {
      expect(toRendition('orders', `---\nname: orders\ndescription: Orders.\n${end}# Orders\n`)).toMatchObject({
        reason,
      })
    }
    expect(toRendition('orders', '\ufeff---\nname: orders\n# Orders\n')).toMatchObject({ reason })
    expect(toRendition('orders', '---\n---\n# Orders\n').reason).toMatch(/^it has no front matter/)
  })

  it('is the text itself where that is one, with texts as metadata', () => {
    const text =
      '---\nname: orders\ndescription: Orders.\ncompatibility: Linux\nmetadata:\n  version: "2"\n---\nText.\n'
    expect(toRendition('orders', text)).toMatchObject({ isRendered: false, text })
  })
})

/** One of each kind of text, and what is made of it. */
const SAMPLES = [
  '# Order desk\n\nCreate and cancel orders.\n',
  '---\nname: Order desk\nlicense: MIT\nmetadata: { version: 2 }\n---\n# Orders\n\nCreate orders.\n',
  '---\nname: "a\\u2028b"\ndescription: "yes"\n---\nText.\n',
  '---\nname: &a x\nother: *a\n---\nText.\n',
  '---\nname: orders\ndescription: Orders.\nwhen: 2026-01-01\nflag: yes\n---\nText.\n',
  '# Order\u2028desk\n\nCreate orders.\n',
  'Text.\r\n',
  '---\nname: orders\ndescription: Use when: asked\n---\nText.\n',
  '---\nname: orders\ndescription: Orders.\nmetadata: { version: 1.0 }\n---\nText.\n',
  `---\nname: orders\nother:\n  ${'? '.repeat(40)}\n---\nText.\n`,
]

it('the number of the form is another one when anything of the form is', () => {
  const made = SAMPLES.map((text) => [toRendition('team/orders', text), toOutline(text)])
  expect([RENDITION, toSha256(JSON.stringify(made))]).toEqual([
    6,
    '5d094fd33d012538bacfd7a93b7ac3cf380e34b61beaa0cf6635c3758e74f11b',
  ])
})
