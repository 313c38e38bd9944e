import { expect } from 'vitest'
import { choose, showView, usePageDemo } from '../page-demo.ts'
import { scenario } from '../scenario.ts'

const stage = usePageDemo()

scenario(
  ['page/connect'],
  'the page shows the address, and for each client what to type and what to copy',
  async () => {
    await using opened = await stage.open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const { page, complaints } = opened
    await showView(page, 'Connect')
    const copied = async (text: string) => {
      await page.locator('.copy', { hasText: text }).locator('visible=true').first().getByRole('button').click()
      return await page.evaluate<string>('navigator.clipboard.readText()')
    }
    expect(await copied(stage.demo.mcpUrl)).toBe(stage.demo.mcpUrl)
    await page.getByText('Claude Code', { exact: true }).click()
    expect(await copied('install claude-code')).toBe(
      `npx -y @iii/mcp install claude-code --transport http --address ${stage.demo.mcpUrl}`,
    )
    expect(JSON.parse(await copied('"mcpServers"'))).toEqual({
      mcpServers: { iii: { type: 'http', url: stage.demo.mcpUrl } },
    })
    await page.getByText('Cursor', { exact: true }).click()
    const link = await page.getByRole('link', { name: 'Open Cursor' }).getAttribute('href')
    const config = new URL(link ?? '').searchParams.get('config') ?? ''
    expect(JSON.parse(atob(config))).toEqual({ url: stage.demo.mcpUrl })
    await page.getByText('VS Code', { exact: true }).click()
    expect(await page.getByRole('link', { name: 'Open VS Code' }).getAttribute('href')).toContain('vscode:mcp/install?')
    expect(complaints).toEqual([])
  },
)

scenario(['page/tools'], 'a tool is found, filled in and called, and its messages can be looked at', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await choose(page, 'Create an order')
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
