import { expect } from 'vitest'
import { choose, showView, usePageDemo } from '../page-demo.ts'
import { scenario } from '../scenario.ts'

const stage = usePageDemo()

scenario(['page/skills'], 'skills are read as text, and their links lead on within the page', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await showView(page, 'Skills')
  const depthOf = (uri: string) =>
    page.locator(`li:has(> a[href="#/skills/${encodeURIComponent(uri)}"])`).evaluate(readDepth)
  expect([await depthOf('iii://orders'), await depthOf('iii://orders/refunds')]).toEqual(['0', '1'])
  await choose(page, 'Orders')
  await page.getByRole('heading', { name: 'Which tool for which job' }).waitFor()
  const live = page.locator('.markdown').getByRole('link', { name: 'status' })
  expect(await live.getAttribute('class')).toBe('live')
  await live.click()
  await page.getByText('written by a function when it is read').waitFor()
  await page.getByRole('heading', { name: 'Orders right now' }).waitFor()
  await page.goBack()
  await page.locator('.markdown').getByRole('link', { name: 'refunds' }).click()
  await page.getByText('iii://orders/refunds', { exact: true }).waitFor()
  expect(complaints).toEqual([])
})

scenario(['page/prompts'], 'a prompt is completed as one types, and its messages are shown', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  const order = { customer: 'Ada', currency: 'EUR', lines: [{ sku: 'TEA', quantity: 2, unit_price: 300 }] }
  const { id } = await stage.worker.trigger<{ id: string }>({ function_id: 'orders::create', payload: order })
  await showView(page, 'Prompts')
  await choose(page, 'refund-order')
  const field = page.getByLabel('order_id')
  await field.pressSequentially(id.slice(0, 6))
  await page.locator(`datalist option[value="${id}"]`).waitFor({ state: 'attached' })
  await field.fill(id)
  await page.getByRole('button', { name: 'Get' }).click()
  await page.getByText('Amount to refund: 6.00 EUR.').waitFor()
  expect(complaints).toEqual([])
})

scenario(['page/why-not'], 'why something is not there is a command to copy', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await showView(page, 'Why not?')
  const field = page.getByLabel('Function, tool, skill, prompt or address')
  await field.fill('orders::complete')
  await page.getByText('npx -y @iii/mcp explain orders::complete', { exact: true }).waitFor()
  await field.fill('it; ls')
  await page.getByText(`npx -y @iii/mcp explain 'it; ls'`, { exact: true }).waitFor()
  expect(complaints).toEqual([])
})

function readDepth(element: { style: { getPropertyValue(name: string): string } }): string {
  return element.style.getPropertyValue('--depth')
}
