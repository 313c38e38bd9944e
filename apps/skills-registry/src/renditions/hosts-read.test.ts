import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toRendition } from './render.ts'

/** How a host finds the front matter: lines of three dashes, where JavaScript sees the ends of lines. */
function findBlock(markdown: string): string {
  const text = markdown.replaceAll('\r\n', '\n').replace(/^\uFEFF/, '')
  const end = /^---[\t ]*$/m.exec(text.slice(4))
  if (!text.startsWith('---\n') || end === null) throw new Error('no front matter')
  return text.slice(4, 4 + end.index)
}

const odd = fc.constantFrom(
  ...['\u2028', '\u0085', '\r', '\n', '\0', '\t', '\u00a0', '---', '...', '!!str', '&a', '*a', '<<', '=', '~', 'null'],
  ...[
    '{',
    '}',
    '[',
    ']',
    ': ',
    ' #',
    '"',
    "'",
    '|',
    '>',
    '- ',
    '? ',
    '\\',
    '%',
    'yes',
    '1_0',
    '1e3',
    '😀',
    '__proto__',
  ],
)
const part = fc.oneof(odd, fc.string({ maxLength: 4 }), fc.constantFrom('a', 'b c', '12', 'x: y'))
const value = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''))
const key = fc.oneof(fc.constantFrom('name', 'description', 'k', 'metadata', '1', 'true', '__proto__'), value)
const line = fc.oneof(
  fc.tuple(fc.nat(2), key, value).map(([deep, name, said]) => `${' '.repeat(deep)}${name}: ${said}`),
  value,
)
const DECLARED = 'name: orders\ndescription: Orders.\n'
const skill = fc
  .tuple(fc.constantFrom('---\n', '\uFEFF---\n', '---\r\n'), fc.boolean(), fc.array(line, { maxLength: 5 }), value)
  .map(([open, isOwn, lines, rest]) => `${open}${isOwn ? DECLARED : ''}${lines.join('\n')}\n---\n${rest}`)

describe('whatever the front matter of a text is', () => {
  it('hosts read in its SKILL.md what is announced of it, and it stays as it is when it is registered so', () => {
    const kinds = new Set<boolean>()
    fc.assert(
      fc.property(skill, (markdown) => {
        const { text, frontmatter, isRendered } = toRendition('orders', markdown)
        kinds.add(isRendered)
        // What travels is JSON.
        expect(parse(findBlock(text))).toEqual(JSON.parse(JSON.stringify(frontmatter)))
        expect(toRendition('orders', text)).toMatchObject({ isRendered: false, text })
      }),
      { numRuns: 500 },
    )
    expect(kinds.size).toBe(2)
  })
})
