import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPage, buildPage } from './build.ts'

const MAX_BYTES = 250_000

let page: BuiltPage
beforeAll(async () => {
  page = await buildPage()
})

/** What stands between the tags of that name. */
function inside(tag: string): string[] {
  return [...page.html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, text = '']) => text)
}

describe('the page', () => {
  it('is at most 250 kB in all, after gzip', () => {
    expect(gzipSync(page.html).length).toBeLessThan(MAX_BYTES)
  })

  it('runs its own scripts and has its own style, and nothing else', () => {
    for (const [tag, directive] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ] as const) {
      const hashes = inside(tag).map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      expect(page.policy.split('; ')).toContain([directive, ...hashes].join(' '))
    }
    expect(page.policy).toMatch(/^default-src 'none'; /)
    expect(page.policy).toContain("frame-ancestors 'none'")
    expect(page.policy).not.toContain('unsafe')
  })

  it('names nothing that a browser would load from elsewhere', () => {
    const outside = [...inside('script'), ...inside('style')].reduce((rest, text) => rest.replace(text, ''), page.html)
    expect(outside).not.toMatch(/(?:src|href)="(?!data:)/)
    expect(inside('style').join()).not.toMatch(/url\(|@import/)
  })
})
