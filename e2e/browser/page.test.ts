import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { type Demo, FREE_PORTS, startDemo } from '../demo.ts'
import { scenario } from '../scenario.ts'
import { startBrowser, type TestBrowser } from '../test-browser.ts'

const cleanup = createCleanup()
let demo: Demo
let browser: TestBrowser
beforeAll(async () => {
  demo = cleanup.use(await startDemo([...FREE_PORTS, '--allow-run']))
  browser = cleanup.use(await startBrowser())
})
afterAll(() => cleanup.run())

/** Opens a view by a click, as everybody does. */
async function show(page: Page, view: string): Promise<void> {
  await page.getByRole('navigation', { name: 'views' }).getByRole('link', { name: view }).click()
}

scenario(
  ['page/connect'],
  'the page shows the address, and for each client what to type and what to copy',
  async () => {
    await using opened = await browser.open(demo.mcpUrl, { permissions: ['clipboard-read', 'clipboard-write'] })
    const { page, complaints } = opened
    await show(page, 'Connect')
    const copied = async (text: string) => {
      await page.locator('.copy', { hasText: text }).locator('visible=true').first().getByRole('button').click()
      return await page.evaluate<string>('navigator.clipboard.readText()')
    }
    expect(await copied(demo.mcpUrl)).toBe(demo.mcpUrl)
    await page.getByText('Claude Code', { exact: true }).click()
    expect(await copied('install claude-code')).toBe(
      `npx -y @iii/mcp install claude-code --transport http --address ${demo.mcpUrl}`,
    )
    expect(JSON.parse(await copied('"mcpServers"'))).toEqual({
      mcpServers: { iii: { type: 'http', url: demo.mcpUrl } },
    })
    await page.getByText('Cursor', { exact: true }).click()
    const link = await page.getByRole('link', { name: 'Open Cursor' }).getAttribute('href')
    const config = new URL(link ?? '').searchParams.get('config') ?? ''
    expect(JSON.parse(atob(config))).toEqual({ url: demo.mcpUrl })
    await page.getByText('VS Code', { exact: true }).click()
    expect(await page.getByRole('link', { name: 'Open VS Code' }).getAttribute('href')).toContain('vscode:mcp/install?')
    expect(complaints).toEqual([])
  },
)

scenario(['page/tools'], 'a tool is found, filled in and called, and its messages can be looked at', async () => {
  await using opened = await browser.open(demo.mcpUrl)
  const { page, complaints } = opened
  await page.getByRole('searchbox', { name: 'Search tools' }).fill('create order')
  await page.getByRole('link', { name: 'Create an order' }).click()
  const form = page.getByRole('form', { name: 'Create an order' })
  await form.getByLabel('customer').fill('Ada')
  await form.getByLabel('currency').fill('EUR')
  await form.getByLabel('lines').fill('[{ "sku": "TEA", "quantity": 3, "unit_price": 450 }')
  await form.getByRole('button', { name: 'Call' }).click()
  await page.getByText('must be JSON').waitFor()
  await form.getByLabel('lines').fill('[{ "sku": "TEA", "quantity": 3, "unit_price": 450 }]')
  await form.getByRole('button', { name: 'Call' }).click()
  await page.getByText(/"total": 1350/).waitFor()
  await page.getByText('Messages of this call').click()
  await page.getByText('→ tools/call').click()
  await page.getByText(/"name": "orders__create"/).waitFor()
  expect(complaints).toEqual([])
})

scenario(['page/accessible'], 'no view has anything that a checker of accessibility finds serious', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await using opened = await browser.open(demo.mcpUrl, { colorScheme })
    const { page, complaints } = opened
    for (const view of ['Connect', 'Tools', 'Skills', 'Prompts', 'Runs', 'Why not?', 'Messages']) {
      await show(page, view)
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
