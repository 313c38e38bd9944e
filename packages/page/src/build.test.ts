import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPage, buildPage } from './build.ts'

const MAX_BYTES = 250_000

let page: BuiltPage
beforeAll(async () => {
  page = await buildPage()
})

/** What stands between the tags of that name, of which there is one. */
function inside(tag: string): string {
  const [found, ...more] = [...page.html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))]
  expect(more).toEqual([])
  return found?.[1] ?? ''
}

describe('the page', () => {
  it('is at most 250 kB in all, after gzip', () => {
    expect(gzipSync(page.html).length).toBeLessThan(MAX_BYTES)
  })

  it('runs its own script and has its own style, and nothing else', () => {
    for (const [tag, directive] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ] as const) {
      const hash = createHash('sha256').update(inside(tag)).digest('base64')
      expect(page.policy.split('; ')).toContain(`${directive} 'sha256-${hash}'`)
    }
    expect(page.policy).toMatch(/^default-src 'none'; /)
    expect(page.policy).toContain("frame-ancestors 'none'")
    expect(page.policy).not.toContain('unsafe')
  })

  it('names nothing that a browser would load from elsewhere', () => {
    const outside = page.html.replace(inside('script'), '').replace(inside('style'), '')
    expect(outside).not.toMatch(/(?:src|href)="(?!data:)/)
    expect(inside('style')).not.toMatch(/url\(|@import/)
  })
})
