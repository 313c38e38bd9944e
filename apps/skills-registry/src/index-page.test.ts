import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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
      }),
    )
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
