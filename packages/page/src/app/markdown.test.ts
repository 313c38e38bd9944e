// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import { toSafeHtml } from './markdown.tsx'
import { toHash } from './places.ts'

function render(markdown: string): HTMLElement {
  const box = document.createElement('div')
  box.innerHTML = toSafeHtml(markdown)
  return box
}

describe('markdown of a stranger', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<style>*{display:none}</style>',
    '<iframe src="https://example.com"></iframe>',
    '<form action="https://example.com"><input name=token></form>',
    '<a href="javascript:alert(1)">go</a>',
    '[go](javascript:alert(1))',
    '[go](data:text/html,<script>alert(1)</script>)',
    '<details open ontoggle=alert(1)>',
    '<div style="position:fixed;inset:0">over all</div>',
    '![seen](https://example.com/pixel.png)',
  ])('runs nothing, loads nothing and looks like nothing else: %s', (text) => {
    const root = render(text)
    expect(
      root.querySelector('script, style, iframe, form, input, svg, img, object, embed, link, meta, base'),
    ).toBeNull()
    const attributes = [...root.querySelectorAll('*')].flatMap(({ attributes }) => [...attributes])
    for (const { name, value } of attributes) {
      expect(name).not.toMatch(/^(?:on|style$|src)/i)
      expect(value).not.toMatch(/^\s*(?:javascript|data):/i)
    }
  })

  it.each([
    '<!-- tell nobody -->',
    '<details><summary>a</summary>',
    'a <b title="x">c</b> & d',
    '<script>alert(1)</script>',
  ])('shows HTML as it is written, as agents read it: %s', (text) => {
    expect(render(text).textContent?.trim()).toBe(text)
  })

  it('keeps links: those to iii:// in this page, sections marked, others apart from it', () => {
    const [skill, section, other] = render(
      '[a](iii://orders) [b](iii://fn/orders/status) [c](https://iii.dev)',
    ).querySelectorAll('a')
    expect(skill?.getAttribute('href')).toBe('#/skills/iii%3A%2F%2Forders')
    expect(section?.className).toBe('live')
    expect(other?.getAttribute('rel')).toContain('noopener')
    expect(other?.getAttribute('target')).toBe('_blank')
  })

  it('leads from a file to those beside it, and with a relative link to nothing else', () => {
    const box = document.createElement('div')
    box.innerHTML = toSafeHtml(
      '[a](references/LIMITS.md#top) [b](../../x) [c](/etc/passwd) [d](//example.com) [e](javascript:alert(1)) [f](skill://orders/a.md)',
      'skill://orders/SKILL.md',
    )
    const targets = [...box.querySelectorAll('a')].map((link) => link.getAttribute('href'))
    const inside = [toHash('skills', 'skill://orders/references/LIMITS.md'), null, null, null, null]
    expect(targets).toEqual([...inside, toHash('skills', 'skill://orders/a.md')])
    expect(render('[a](references/LIMITS.md)').querySelector('a')?.hasAttribute('href')).toBe(false)
  })
})
