import type { BrowserContextOptions, Page } from 'playwright-core'
import { inject } from 'vitest'
import { launchChromium } from './chromium.ts'

/** What a page shows is waited for so long. */
const FACT_MS = 10_000

/** Chromium with an empty profile. */
export interface TestBrowser extends AsyncDisposable {
  open(url: string, options?: BrowserContextOptions): Promise<OpenPage>
}

/** A page in a context of its own. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page
  /** What should never be: scripts that fail, what the policy refuses, dialogs, requests that go to others. */
  readonly complaints: readonly string[]
}

export async function startBrowser(): Promise<TestBrowser> {
  const browser = await launchChromium(inject('browser'))
  return {
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1100, height: 720 }, ...options })
      context.setDefaultTimeout(FACT_MS)
      const page = await context.newPage()
      const complaints = watch(page, new URL(url).origin)
      await page.goto(url)
      return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

function watch(page: Page, origin: string): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (line) => {
    if (line.type() === 'error') complaints.push(`console: ${line.text()}`)
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.context().on('page', (other) => complaints.push(`window: ${other.url()}`))
  page.context().on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:') complaints.push(`request: ${url.href.slice(0, 200)}`)
  })
  return complaints
}
