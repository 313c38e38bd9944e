import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toOutline } from './outline.ts'

const titles: [name: string, markdown: string, title: string | undefined][] = [
  ['the first H1', '# Orders\n\ntext', 'Orders'],
  ['an H1 after text', 'text\n\n# Orders', 'Orders'],
  ['an H1 with closing marks', '# Orders ##\n', 'Orders'],
  ['an H1 that ends in a number sign of its own', '# About C#\n', 'About C#'],
  ['an H1 indented by three spaces', '   # Orders', 'Orders'],
  ['an H1 behind a tab', '#\tOrders', 'Orders'],
  ['a setext H1', 'Orders\n======\n\ntext', 'Orders'],
  ['the H1 behind an empty one', '#\n\n# Orders', 'Orders'],
  ['the H1 behind front matter', '---\nx: y\n---\n# Orders', 'Orders'],
  ['the H1 behind a byte order mark', '\uFEFF# Orders', 'Orders'],
  ['the setext H1 behind a byte order mark', '\uFEFFOrders\n===', 'Orders'],
  ['the front matter name behind a byte order mark', '\uFEFF---\nname: Orders\n---\n# Other', 'Orders'],
  ['the H1 of a text with Windows line ends', '# Orders\r\n\r\ntext\r\n', 'Orders'],
  ['the H1 of a text with the line ends of old Macs', '---\rx: y\r---\r# Orders\r\rtext\r', 'Orders'],
  ['the H1 outside fenced code', '```md\n# Not me\n```\n# Orders', 'Orders'],
  ['the H1 outside a longer fence', '~~~~\n~~~\n# Not me\n~~~~\n# Orders', 'Orders'],
  ['the H1 outside a comment', '<!--\n# Not me\n-->\n# Orders', 'Orders'],
  ['the front matter name before the H1', '---\nname: Orders\n---\n# Other', 'Orders'],
  ['the front matter name without markup', '---\nname: "[Orders](iii://evil)"\n---\n', 'Orders'],
  ['a front matter name that looks like a number', '---\nname: 2026\n---\ntext', '2026'],
  ['an H1 without its anchor', '# <a name="x"></a>Orders', 'Orders'],
  ['the H1 behind raw HTML', '<pre>\n\n# Not me\n</pre>\n# Orders', 'Orders'],
  ['an H1 without its markup', '# **`orders`** and [more](iii://evil)', 'orders and more'],
  ['nothing for an H2', '## Orders', undefined],
  ['nothing for indented code', '    # Orders', undefined],
  ['nothing for a hashtag', '#orders', undefined],
  ['nothing for a fence that never ends', '```\n# Orders', undefined],
  ['nothing for an empty H1', '# \n', undefined],
  ['nothing for a text of spaces', '   ', undefined],
]

describe('the title', () => {
  it.each(titles)('is %s', (_, markdown, title) => {
    expect(toOutline(markdown).title).toBe(title)
  })
})

const summaries: [name: string, markdown: string, summary: string | undefined][] = [
  ['the first paragraph', '# Orders\n\nCreate and cancel.\n\nMore.', 'Create and cancel.'],
  ['the paragraph right under the title', '# Orders\nCreate and cancel.', 'Create and cancel.'],
  ['the description with a colon in it', '---\nname: a\ndescription: Use when: asked\n---\nMore.', 'Use when: asked'],
  [
    'the description beside the globs of an editor',
    '---\ndescription: Rules.\nglobs: *.ts, *.tsx\n---\nMore.',
    'Rules.',
  ],
  [
    'all lines of a description with a colon in it',
    '---\ndescription: Use when: asked\n  or told\n---\nMore.',
    'Use when: asked or told',
  ],
  ['the text behind sub-headings', '# Orders\n\n## When\n\n### Now\n\nCreate.', 'Create.'],
  ['all lines of the paragraph', '# Orders\n\nCreate\n  and\ncancel.\n\nMore.', 'Create and cancel.'],
  ['the paragraph up to the next heading', 'Create.\n# Orders\nMore.', 'Create.'],
  ['the paragraph up to a fence', 'Create.\n```\ncode\n```', 'Create.'],
  ['the paragraph up to a list', 'Create:\n- a\n- b', 'Create:'],
  ['the paragraph behind fenced code', '```sh\nrun\n```\n\nCreate.', 'Create.'],
  ['the paragraph behind indented code', '    run\n\nCreate.', 'Create.'],
  ['the paragraph behind a table', '| a | b |\n|---|:-:|\n| 1 | 2 |\n\nCreate.', 'Create.'],
  ['the paragraph behind a comment', '<!-- note\n\nmore -->\nCreate.', 'Create.'],
  ['the paragraph behind HTML', '<p align="center">\n  <img src="x">\n</p>\n\nCreate.', 'Create.'],
  ['the paragraph behind badges', '[![CI](https://x/y.svg)](https://x)\n![b](c)\n\nCreate.', 'Create.'],
  ['the paragraph behind a rule', '---\n\nCreate.', 'Create.'],
  ['the paragraph behind a link definition', '[x]: https://example.com\n\nCreate.', 'Create.'],
  ['the paragraph behind a list', '- a\n\n  more of a\n- b\n\nCreate.', 'Create.'],
  ['a quoted paragraph', '> Create\n> and cancel.\n>\n> More.', 'Create and cancel.'],
  ['the text of an alert', '> [!NOTE]\n> Create.', 'Create.'],
  [
    'the first list item when there is no paragraph',
    '# Orders\n\n- [`send`](iii://a/send) — sends\n- b',
    '`send` — sends',
  ],
  ['the front matter description', '---\ndescription: >-\n  Create\n  and cancel.\n---\nOther.', 'Create and cancel.'],
  [
    'the front matter description without markup',
    '---\ndescription: See [the guide](iii://a) <!-- x --> **now**\n---\n',
    'See the guide now',
  ],
  ['text, not the front matter', '---\nversion: 1\n---\nCreate.', 'Create.'],
  ['text behind broken front matter', '---\nname: [\n---\nCreate.', 'Create.'],
  [
    'without link markup',
    'See [the *guide*](iii://a "x (y)") or <https://x.y/z>.',
    'See the *guide* or https://x.y/z.',
  ],
  ['without reference links', 'See [the guide][1] now.', 'See the guide now.'],
  ['without inline comments', 'Create <!-- secret --> orders.', 'Create orders.'],
  ['with code marks', 'Call `orders::create` or orders__create.', 'Call `orders::create` or orders__create.'],
  ['without strong marks', 'Use **this** one.', 'Use this one.'],
  ['without escapes', 'Use \\[this\\].', 'Use [this].'],
  ['without invisible characters', 'a\u202Eb\u200Bc\u0007d\u{E0141}', 'a b c d'],
  ['without colours', 'a \u001b[31mb\u001b[0m', 'a b'],
  ['the paragraph behind raw HTML with blank lines', '<pre>\ncode\n\nmore\n</pre>\n\nCreate.', 'Create.'],
  ['the paragraph behind a script', '<script>\n\nrun()\n</script>\nCreate.', 'Create.'],
  ['the paragraph behind a declaration', '<!DOCTYPE html>\n<?php x ?>\n\nCreate.', 'Create.'],
  ['the paragraph behind a tag that stands alone', '<Tabs group="x">\n\nCreate.', 'Create.'],
  ['the paragraph up to a table', 'Create.\n| a | b |\n|---|---|\n| 1 | 2 |', 'Create.'],
  ['the paragraph behind quoted code', '> ```sh\n> run\n> ```\n\nCreate.', 'Create.'],
  ['the paragraph behind a quoted heading and table', '> # T\n>\n> a | b\n> -|-\n\nCreate.', 'Create.'],
  ['the paragraph in a quote behind quoted code', '> ```\n> run\n> ```\n> Create.', 'Create.'],
  ['a paragraph that is quoted in a quote', '> > Create.', 'Create.'],
  ['the same with the marks further apart', '>  >   > Create.', 'Create.'],
  ['the first list item that is more than code', '- ```sh\n  run\n  ```\n- Create.', 'Create.'],
  ['the first task without its box', '- [ ] Create.', 'Create.'],
  ['a list item without the marks of a heading', '- # Create', 'Create'],
  ['without backslashes that break lines', 'Create\\\nand\\\ncancel.\\', 'Create and cancel.\\'],
  [
    'without tags that only change how it looks',
    'Create <b class="x">all</b><br/> <a href=\'y\'>orders</a>.',
    'Create all orders.',
  ],
  ['with words in angle brackets, and tags in code', 'Call `<b>` with <id> or a<b.', 'Call `<b>` with <id> or a<b.'],
  ['nothing for headings alone', '# Orders\n\n## More', undefined],
]

it('a title takes at most 256 bytes', () => {
  const { title } = toOutline(`# ${'😀'.repeat(140)}`)
  expect(title).toBe(`${'😀'.repeat(63)}…`)
})

describe('the summary', () => {
  it.each(summaries)('is %s', (_, markdown, summary) => {
    expect(toOutline(markdown).summary).toBe(summary)
  })

  it.each([
    ['140 characters stay whole', 'x'.repeat(140), 'x'.repeat(140)],
    ['141 characters become 139 and an ellipsis', 'x'.repeat(141), `${'x'.repeat(139)}…`],
    ['characters beyond the basic plane count once', '😀'.repeat(140), '😀'.repeat(140)],
    ['no character is cut in half', '😀'.repeat(141), `${'😀'.repeat(139)}…`],
    ['no space stands before the ellipsis', `${'x'.repeat(138)} ${'y'.repeat(9)}`, `${'x'.repeat(138)}…`],
  ])('is cut at 140 characters: %s', (_, markdown, summary) => {
    expect(toOutline(markdown).summary).toBe(summary)
  })
})

describe('an outline', () => {
  it('reads front matter of 16384 characters, and leaves one more out unread', () => {
    const yaml = (length: number) => `name: Orders\nrest: ${'x'.repeat(length - 'name: Orders\nrest: \n'.length)}\n`
    expect(toOutline(`---\n${yaml(16_384)}---\n# Other`).title).toBe('Orders')
    expect(toOutline(`---\n${yaml(16_385)}---\n# Other`).title).toBe('Other')
  })

  it('takes the priority from front matter when it is one', () => {
    expect(toOutline('---\npriority: 0\n---\n').priority).toBe(0)
    expect(toOutline('---\npriority: 1\n---\n').priority).toBe(1)
    expect(toOutline('---\npriority: -0.1\n---\n').priority).toBeUndefined()
    expect(toOutline('---\npriority: 1.1\n---\n').priority).toBeUndefined()
    expect(toOutline('---\npriority: 0.7\n---\n').priority).toBe(0.7)
    expect(toOutline('---\npriority: 7\n---\n').priority).toBeUndefined()
    expect(toOutline('---\npriority: high\n---\n').priority).toBeUndefined()
  })

  it('is one well-formed line of at most 140 characters, whatever the text', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('# ', '---', '```', '<!--', '-->', '> ', '- ', '|', '|-|', '[a](b)', '===', '', '![', 'name: x'),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n', ' '), (lines, end) => {
        const { title, summary } = toOutline(lines.join(end))
        for (const text of [title, summary]) {
          if (text === undefined) continue
          expect(text).toMatch(/^\S(?:.*\S)?$/u)
          expect(text.isWellFormed()).toBe(true)
          expect(text).not.toMatch(/[\p{Cc}\u200B\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E01EF}]/u)
          expect(Array.from(text).length).toBeLessThanOrEqual(140)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    ['brackets', '[', ''],
    ['link openings', '[a](', ''],
    ['quote marks', '>', ''],
    ['quote marks far apart', '>   ', ''],
    ['list marks', '- ', ''],
    ['tags that do not end', '<a ', ''],
    ['raw HTML that does not end', '<pre>\n', ''],
    ['rows that could be above a table', '|\n', ''],
    ['line ends of old Macs', '\r', ''],
    ['number signs', '# ', ''],
    ['dashes and spaces', ' ', '|\n-', 'x'],
    ['dashes', '-', '|\n', 'x'],
    ['back ticks', '`\n', ''],
    ['comment openings', '<!-- ', ''],
    ['front matter that never ends', 'a: b\n', '---\n'],
    ['spaces behind a number sign', ' ', '# ', '\u2028x'],
    ['spaces behind a list mark', ' ', '- ', '\u2028x'],
    ['spaces behind a number', ' ', '1. ', '\u2028x'],
    ['spaces behind a quoted number sign', ' ', '> # ', '\u2028x'],
    ['lines of number signs', '#\n', '', '# Title\n'],
    ['lines of dashes', '-\n', '', '# Title\n'],
    ['lines of a title with a back tick', '# `\n', '', '# Title\n'],
  ])('takes no longer than its length allows: 256 KiB of %s', async (_, part, start, end = '') => {
    await expect(toOutline).toTakeLinearTime((size) => start + part.repeat(size / part.length) + end, 262_144)
  })
})

it('does not unfold aliases of aliases', async () => {
  const toLevels = (count: number) =>
    Array.from({ length: count }, (_, at) => `a${at}: &a${at} [*a${at - 1},*a${at - 1}]\n`)
  const toText = (count: number) => `---\na-1: &a-1 [x,x]\n${toLevels(count).join('')}name: *a${count - 1}\n---\n`
  await expect(toOutline).toTakeLinearTime(toText, 64)
})

it.each(['#', '-', '# `'])('looks for no title far behind lines of %j', (line) => {
  expect(toOutline(`${`${line}\n`.repeat(80_000)}# Title\n`).title).toBeUndefined()
  expect(toOutline(`${`${line}\n`.repeat(1_500)}# Title\n`).title).toBe('Title')
})

it('reads name and description beside aliases, and what an alias of a text says', () => {
  const others = 'base: &b { x: &x [1] }\n<<: *b\nlist: [*x, *b]\n'
  expect(toOutline(`---\n${others}name: &n orders\ndescription: About them\n---\n# H\n`)).toMatchObject({
    title: 'orders',
    summary: 'About them',
  })
  expect(toOutline('---\nname: &n orders\ndescription: *n\n---\n# H\n')).toMatchObject({ summary: 'orders' })
  expect(toOutline('---\nname: orders\ndescription: *.ts\n---\n# H\n')).toMatchObject({ summary: '*.ts' })
})
