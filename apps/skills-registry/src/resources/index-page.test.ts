import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toOutline } from '../markdown/outline.ts'
import { type IndexEntry, toIndexPage } from './index-page.ts'

const entry = (id: string, title = id, summary?: string, reachable = true): IndexEntry => ({
  id,
  title,
  summary,
  reachable,
})

const rowsOf = (page: string) => page.split('\n').filter((line) => /^ *- /.test(line))

describe('the index page', () => {
  it('opens with a title and says how to use it', () => {
    expect(toIndexPage([])).toMatch(/^# Skills\n\n\S.*\.\n\n_No skills are registered yet\._\n$/)
  })

  it('has one row a skill with title, address and summary', () => {
    expect(rowsOf(toIndexPage([entry('orders', 'Orders', 'Create orders.')]))).toEqual([
      '- [Orders](iii://orders) — Create orders.',
    ])
  })

  it('leaves the dash out when there is no summary', () => {
    expect(rowsOf(toIndexPage([entry('orders')]))).toEqual(['- [orders](iii://orders)'])
  })

  it('indents a row by two spaces for each ancestor that exists', () => {
    const page = toIndexPage([entry('a/b/c'), entry('a-b'), entry('a'), entry('a/b'), entry('x/y/z'), entry('x/y/z/w')])
    expect(rowsOf(page)).toEqual([
      '- [a](iii://a)',
      '  - [a/b](iii://a/b)',
      '    - [a/b/c](iii://a/b/c)',
      '- [a-b](iii://a-b)',
      '- [x/y/z](iii://x/y/z)',
      '  - [x/y/z/w](iii://x/y/z/w)',
    ])
  })

  it('names a skill that no address leads to without a link', () => {
    expect(rowsOf(toIndexPage([entry('skills', 'Old', 'Text.', false)]))).toEqual([
      '- Old (`skills`, unreachable) — Text.',
    ])
  })

  it('escapes titles so that none of them ends its link early', () => {
    expect(rowsOf(toIndexPage([entry('a', 'x](iii://evil) [y')]))).toEqual(['- [x\\](iii://evil) \\[y](iii://a)'])
  })

  it('never lets a title or summary forge a row or a link', () => {
    const text = fc
      .array(fc.constantFrom('](', '[', ']', '\\', '`', '<', '(iii://evil)', 'x', ' ', '- ', '\n- ', '\r', '\u2028'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, text, (title, summary, id) => {
        expect(rowsOf(toIndexPage([entry(id, title, summary, false)]))).toHaveLength(1)
        const rows = rowsOf(toIndexPage([entry('a', title, summary)]))
        expect(rows).toHaveLength(1)
        // What is escaped means nothing; the unescaped rest holds the one link of the row.
        const bare = (rows[0] ?? '').replace(/\\[\\`[\]<]/g, '.')
        expect(bare.match(/\]\([^)]*\)/g)).toEqual(['](iii://a)'])
        expect(bare).not.toContain('<')
      }),
    )
  })

  it('has one link for each skill, the same in whatever order they come and whatever their texts are', () => {
    const id = fc.stringMatching(/^[a-z0-9_-]{1,3}(\/[a-z0-9_-]{1,3}){0,3}$/)
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '# ](iii://evil)',
        '- [F](iii://evil) — x',
        '---',
        '```',
        '<b>',
        '> ',
        '\\<',
        '|-|',
        'name: "](x)"',
        '',
      ),
    )
    const body = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(fc.dictionary(id, body, { maxKeys: 8, noNullPrototype: true }), (bodies) => {
        const entries = Object.entries(bodies).map(([key, text]) => {
          const { title = key, summary } = toOutline(text)
          return entry(key, title, summary)
        })
        const page = toIndexPage(entries)
        expect(toIndexPage([...entries].reverse())).toBe(page)
        const bare = rowsOf(page).map((row) => row.replace(/\\[\\`[\]<]/g, '.'))
        const links = bare.map((row) => /^(?: {2})*- \[[^\]]*\]\(iii:\/\/([^)]*)\)/.exec(row)?.[1])
        expect(links.sort()).toEqual(Object.keys(bodies).sort())
        expect(bare.join('\n').match(/\]\(/g) ?? []).toHaveLength(entries.length)
        expect(page).not.toMatch(/[\u200B\u202A-\u202E\u2066-\u2069\uFEFF]|(?!\n)\p{Cc}/u)
      }),
    )
  })

  it('is whole at its limit and not one byte later', () => {
    const entries = ['a', 'b', 'c'].map((id) => entry(id, 'Title', 'x'.repeat(100)))
    const bytes = Buffer.byteLength(toIndexPage(entries))
    expect(Buffer.byteLength(toIndexPage(entries, bytes))).toBe(bytes)
    const cut = toIndexPage(entries, bytes - 1)
    expect(Buffer.byteLength(cut)).toBeLessThan(bytes)
    expect([rowsOf(cut).length, cut.includes('_1 more skills')]).toEqual([2, true])
  })

  it('stays within its limit and counts what it leaves out', () => {
    const entries = Array.from({ length: 100 }, (_, n) => entry(`skill-${n}`, 'Title', 'x'.repeat(100)))
    const page = toIndexPage(entries, 2_000)
    expect(Buffer.byteLength(page)).toBeLessThanOrEqual(2_000)
    const shown = rowsOf(page).length
    expect(shown).toBeGreaterThan(5)
    expect(page).toContain(`_${100 - shown} more skills do not fit here`)
  })
})
