import { readFile } from 'node:fs/promises'
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

scenario(['page/skill-files'], 'files of a skill are listed, read, looked at and saved', async () => {
  await registerFiled()
  await using opened = await stage.open()
  const { page, complaints } = opened
  await showView(page, 'Skills')
  await choose(page, 'filed')
  const files = page.getByRole('region', { name: 'files' })
  await files.getByText('1.3 kB').waitFor()
  const names = ['SKILL.md', 'assets/dot.png', 'data/raw bytes.bin', 'references/LIMITS.md', 'scripts/check.py']
  expect(await files.getByRole('link').allTextContents()).toEqual(names)

  await page.locator('.markdown').getByRole('link', { name: 'limits' }).click()
  await page.getByText('skill://filed/references/LIMITS.md', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Limits of files' }).waitFor()
  expect(await page.locator('.list [aria-current]').textContent()).toContain('filed')
  await page.locator('.markdown').getByRole('link', { name: 'the script' }).click()
  await page.locator('pre', { hasText: 'print("<b>1</b>")' }).waitFor()
  await page.goBack()
  await page.goBack()

  await files.getByRole('link', { name: 'SKILL.md' }).click()
  await page.locator('pre', { hasText: 'name: filed' }).waitFor()
  await page.goBack()
  await files.getByRole('link', { name: 'dot.png' }).click()
  const width = await page.getByRole('img', { name: 'dot.png' }).evaluate(readWidth)
  expect(width).toBe(1)
  await page.goBack()
  await files.getByRole('link', { name: 'raw bytes.bin' }).click()
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save' }).click()])
  expect(saved.suggestedFilename()).toBe('raw bytes.bin')
  expect(await readFile(await saved.path())).toEqual(BYTES)
  expect(complaints).toEqual([])
})

scenario(['page/skills'], 'a skill lists the tools that name it, and a tool that comes to name it', async () => {
  await stage.worker.trigger({ function_id: 'skills::register', payload: { id: 'till', skill: '# The till\n' } })
  const offer = async (id: string) => {
    stage.worker.registerFunction(id, () => 'done', { metadata: { 'mcp.skill': 'till' } })
    await stage.worker.ready()
  }
  await offer('till::open')
  await using opened = await stage.open()
  const { page, complaints } = opened
  await showView(page, 'Skills')
  await choose(page, 'The till')
  const tools = page.getByRole('region', { name: 'tools' })
  await tools.getByRole('link', { name: 'till__open' }).waitFor()
  await offer('till::close')
  await tools.getByRole('link', { name: 'till__close' }).waitFor()
  await tools.getByRole('link', { name: 'till__open' }).click()
  await page.getByRole('heading', { name: 'till__open' }).waitFor()
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

/** Bytes that are no text. */
const BYTES = Buffer.from([0, 255, 254, 128, 10])
/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function registerFiled(): Promise<void> {
  const skill = '---\nname: filed\ndescription: Has files.\n---\n# Filed\n\nSee the [limits](references/LIMITS.md).\n'
  const files = [
    { path: 'references/LIMITS.md', text: '# Limits of files\n\nSee [the script](../scripts/check.py).\n' },
    { path: 'scripts/check.py', text: `print("<b>1</b>")\n${'#'.repeat(1_300)}\n` },
    { path: 'assets/dot.png', base64: PNG },
    { path: 'data/raw bytes.bin', base64: BYTES.toString('base64') },
  ]
  await stage.worker.trigger({ function_id: 'skills::register', payload: { id: 'filed', skill, files } })
}

function readWidth(image: { readonly naturalWidth: number; decode(): Promise<void> }): Promise<number> {
  return image.decode().then(() => image.naturalWidth)
}

function readDepth(element: { style: { getPropertyValue(name: string): string } }): string {
  return element.style.getPropertyValue('--depth')
}
