import type { Browser } from 'playwright-core'
import { launchChromium } from '../chromium.ts'
import { createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { startStack } from '../stack.ts'
import { findBrowser } from '../suites/browser.ts'
import { until } from '../until.ts'

/** Visits of a browser that has never been there. */
const VISITS = 15
const TOOLS = 100

/** When things are on the page, in ms since its address was asked for: medians of visits, each with an empty profile. */
export interface PageFigures {
  /** Something is painted. */
  readonly paintMs: number
  /** The view is there, with all that needs no answer. */
  readonly viewMs: number
  /** So are the lists of the server. */
  readonly listsMs: number
  /** Bytes of the page as they are sent. */
  readonly bytes: number
}

/** How long somebody waits who opens the address of the endpoint in a browser. @throws Refusal without a browser */
export async function measurePage(env: NodeJS.ProcessEnv): Promise<PageFigures> {
  const executablePath = findBrowser(env)
  const { use, run } = createCleanup()
  try {
    const stack = use(await startStack({ workers: ['bridge', 'skills'] }))
    const ids = Array.from({ length: TOOLS }, (_, at) => `page::tool_${at}`)
    for (const id of ids) stack.worker.registerFunction(id, () => id, { metadata: { 'mcp.expose': true } })
    await until(() => hasFunctions(stack.worker, ids), { what: 'all tools' })
    const browser = await launchChromium(executablePath)
    use({ [Symbol.asyncDispose]: () => browser.close() })
    // The first is that of a browser that has just been started.
    await visit(browser, stack.mcpUrl)
    const visits: Visit[] = []
    for (let at = 0; at < VISITS; at++) visits.push(await visit(browser, stack.mcpUrl))
    const [bytes = 0] = visits.map((each) => each.bytes)
    return {
      paintMs: toMedian(visits.map(({ paintMs }) => paintMs)),
      viewMs: toMedian(visits.map(({ viewMs }) => viewMs)),
      listsMs: toMedian(visits.map(({ listsMs }) => listsMs)),
      bytes,
    }
  } finally {
    await run()
  }
}

export function formatPage({ paintMs, viewMs, listsMs, bytes }: PageFigures): string {
  return [
    `\npage: a visit with an empty profile, median of ${VISITS}; ${TOOLS} tools`,
    `painted          ${paintMs.toFixed(0)} ms`,
    `first view       ${viewMs.toFixed(0)} ms`,
    `lists are there  ${listsMs.toFixed(0)} ms`,
    `bytes            ${bytes}\n`,
  ].join('\n')
}

type Visit = PageFigures

/** Notes in the page when what is waited for came. */
const WATCH = `{
  const seen = (globalThis.seen = {})
  const look = () => {
    if (seen.view === undefined && document.querySelector('main *')) seen.view = performance.now()
    if (seen.lists === undefined && document.querySelector('main .list li')) seen.lists = performance.now()
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
}`

async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.addInitScript(WATCH)
    await page.goto(url)
    await until(() => page.evaluate<boolean>('globalThis.seen.lists !== undefined'), { what: 'the lists' })
    return await page.evaluate<Visit>(`({
      paintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
      viewMs: globalThis.seen.view,
      listsMs: globalThis.seen.lists,
      bytes: performance.getEntriesByType('navigation')[0].encodedBodySize,
    })`)
  } finally {
    await context.close()
  }
}

function toMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
