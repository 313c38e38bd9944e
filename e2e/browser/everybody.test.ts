import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { choose, showView, usePageDemo } from '../page-demo.ts'
import { scenario } from '../scenario.ts'

const stage = usePageDemo()

const VIEWS = ['Connect', 'Tools', 'Skills', 'Prompts', 'Runs', 'Why not?', 'Messages']

scenario(['page/phone'], 'on a phone everything stands below each other and within its width', async () => {
  await using opened = await stage.open({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true })
  const { page, complaints } = opened
  for (const view of VIEWS) {
    await showView(page, view)
    if (['Tools', 'Skills', 'Prompts'].includes(view)) await page.locator('.list li a').first().tap()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect([view, width]).toEqual([view, 360])
  }
  await showView(page, 'Tools')
  await choose(page, 'List orders')
  const heading = page.getByRole('heading', { name: 'List orders' })
  await heading.waitFor()
  expect((await heading.boundingBox())?.y).toBeLessThan(640)
  expect(complaints).toEqual([])
})

scenario(['page/accessible'], 'no view has anything that a checker of accessibility finds serious', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await using opened = await stage.open({ colorScheme })
    const { page, complaints } = opened
    for (const view of VIEWS) {
      await showView(page, view)
      if (['Tools', 'Skills', 'Prompts'].includes(view)) await page.locator('.list li a').first().click()
      expect([colorScheme, view, await findBarriers(page)]).toEqual([colorScheme, view, []])
    }
    expect(complaints).toEqual([])
  }
})

/** What axe-core finds serious or critical. */
async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 100)).join(' | ')}`)
}
