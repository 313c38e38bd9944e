import type { Worker } from '@iii/sdk'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { createCleanup } from './cleanup.ts'
import { type Demo, FREE_PORTS, startDemo } from './demo.ts'
import { connectToEngine } from './facts.ts'
import { type OpenPage, startBrowser, type TestBrowser } from './test-browser.ts'

/** What scenarios about the page have in common: `start`, a worker beside those that it brings, and a browser. */
export interface PageDemo {
  readonly demo: Demo
  readonly worker: Worker
  open(options?: Parameters<TestBrowser['open']>[1]): Promise<OpenPage>
}

/** Runs `start` and a browser for all scenarios of a file. @param offer puts functions on the engine */
export function usePageDemo(offer: (worker: Worker) => void = () => {}): PageDemo {
  const cleanup = createCleanup()
  let demo: Demo | undefined
  let worker: Worker | undefined
  let browser: TestBrowser | undefined
  beforeAll(async () => {
    demo = cleanup.use(await startDemo([...FREE_PORTS, '--allow-run']))
    const own = connectToEngine(/ws:\/\/127\.0\.0\.1:\d+/.exec(demo.child.stdout.join('\n'))?.[0] ?? '', 'page-test')
    cleanup.use({ [Symbol.asyncDispose]: () => own.shutdown() })
    worker = own
    offer(own)
    await own.ready()
    browser = cleanup.use(await startBrowser())
  })
  afterAll(() => cleanup.run())
  const require = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('It is there once the scenarios run')
    return value
  }
  return {
    get demo() {
      return require(demo)
    },
    get worker() {
      return require(worker)
    },
    open: (options) => require(browser).open(require(demo).mcpUrl, options),
  }
}

/** Opens a view by a click, as everybody does. */
export async function showView(page: Page, view: string): Promise<void> {
  await page.getByRole('navigation', { name: 'views' }).getByRole('link', { name: view }).click()
}

/** Chooses a row of the list that is shown, by what it is called. */
export async function choose(page: Page, name: string): Promise<void> {
  await page.locator('.list').getByRole('searchbox').fill(name)
  await page.locator('.list').getByRole('link', { name }).first().click()
}
