import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { showView, usePageDemo } from '../page-demo.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'

const COUNT = 1_000
const LONG_MS = 50
const TRIES = 5

const stage = usePageDemo((worker) => {
  for (let at = 0; at < COUNT; at++) {
    const text = `Does what number ${at} of a thousand does, and says so in a sentence of usual length.`
    worker.registerFunction(`many::tool_${at}`, () => at, { description: text, metadata: { 'mcp.expose': true } })
  }
})

scenario(['page/fast'], 'a thousand tools and a thousand skills scroll without a stall', async () => {
  for (let at = 0; at < COUNT; at++) {
    const skill = `# Skill ${at}\n\nWhat one does with number ${at} of a thousand.\n`
    await stage.worker.trigger({ function_id: 'skills::register', payload: { id: `many/skill-${at}`, skill } })
  }
  await using opened = await stage.open()
  const { page, complaints } = opened
  for (const view of ['Tools', 'Skills']) {
    await showView(page, view)
    await until(async () => (await page.locator('.list li').count()) > COUNT, { what: `all ${view}` })
    const longest: number[] = []
    for (let at = 0; at < TRIES; at++) longest.push(await scroll(page))
    expect([view, Math.min(...longest) < LONG_MS]).toEqual([view, true])
  }
  expect(complaints).toEqual([])
})

/** Turns the wheel from the top to the end. @returns how long the longest task took meanwhile, in ms; 0 where none took 50 */
async function scroll(page: Page): Promise<number> {
  await page.evaluate(`{
    globalThis.longest = 0
    globalThis.watch?.disconnect()
    globalThis.watch = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration)
    })
    globalThis.watch.observe({ type: 'longtask' })
    document.querySelector('.list').scrollTop = 0
  }`)
  await page.mouse.move(150, 400)
  const isAtEnd = `(({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight > scrollHeight - 2)(document.querySelector('.list'))`
  await until(
    async () => {
      await page.mouse.wheel(0, 1_500)
      return await page.evaluate<boolean>(isAtEnd)
    },
    { what: 'the end of the list' },
  )
  return await page.evaluate<number>('globalThis.longest')
}
