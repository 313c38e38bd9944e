import { registerMcpFunction } from '@iii/sdk'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { z } from 'zod'
import { usePageDemo } from '../page-demo.ts'
import { scenario } from '../scenario.ts'

const Order = z.object({ name: z.string(), size: z.enum(['small', 'large']), milk: z.array(z.enum(['oat', 'cow'])) })

const stage = usePageDemo((worker) =>
  registerMcpFunction(
    worker,
    'shop::ask',
    async (_input, { ask }) => {
      const answer = await ask.form('What shall it be?', Order, { key: 'what' })
      return answer.action === 'accept' ? JSON.stringify(answer.content) : `It was a ${answer.action}.`
    },
    { request_format: z.object({}), mcp: { expose: true } },
  ),
)

/** So many steps lead through all that a view has, and once round. */
const MOST_STEPS = 60

/** Goes there with the Tab key. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step++) {
    if (await target.evaluate((element: { matches(selector: string): boolean }) => element.matches(':focus'))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The Tab key does not lead to ${target}`)
}

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Opens a view, and finds a row of its list. */
async function find(page: Page, view: string, words: string): Promise<void> {
  const link = page.getByRole('navigation', { name: 'views' }).getByRole('link', { name: view })
  await link.waitFor()
  await tabTo(page, link)
  await press(page, 'Enter')
  await page.locator('.list li a').first().waitFor()
  await tabTo(page, page.getByRole('searchbox'))
  await page.keyboard.type(words)
  await press(page, 'ArrowDown', 'Enter')
}

/** Presses a button that stands behind what has the focus. */
async function push(page: Page, button: Locator): Promise<void> {
  await tabTo(page, button)
  await press(page, 'Enter')
}

scenario(['page/keyboard'], 'a tool is found, called and left again without a mouse', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await find(page, 'Tools', 'list orders')
  await page.getByRole('heading', { name: 'List orders' }).waitFor()
  await tabTo(page, page.getByLabel('customer'))
  await page.keyboard.type('Ada Lovelace')
  await press(page, 'Enter')
  await page.locator('.result pre').waitFor()
  await page.goBack()
  await page.getByText('Choose a tool.').waitFor()
  expect(complaints).toEqual([])
})

scenario(['page/keyboard'], 'a skill is found, and its links are followed, without a mouse', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await find(page, 'Skills', 'orders')
  const chosen = page.getByRole('region', { name: 'what was chosen' })
  await chosen.getByRole('heading').first().waitFor()
  const before = page.url()
  const link = chosen.locator('.markdown a[href^="#/skills/"]').first()
  await link.waitFor()
  await push(page, link)
  await expect.poll(() => page.url()).not.toBe(before)
  await chosen.getByRole('heading').first().waitFor()
  expect(complaints).toEqual([])
})

scenario(['page/keyboard'], 'a question is answered without a mouse, and keeps the focus until then', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await find(page, 'Tools', 'shop__ask')
  const call = page.getByRole('button', { name: 'Call' })
  await push(page, call)
  const question = page.getByRole('dialog')
  await question.getByText('What shall it be?').waitFor()
  await tabTo(page, question.getByLabel('name'))
  await page.keyboard.type('Ada')
  await tabTo(page, question.getByRole('combobox'))
  await page.keyboard.type('large')
  await tabTo(page, question.getByRole('checkbox', { name: 'oat' }))
  await press(page, 'Space')
  await expect(tabTo(page, call)).rejects.toThrow('does not lead to')
  await push(page, question.getByRole('button', { name: 'Answer' }))
  const result = page.locator('.result pre')
  await result.waitFor()
  expect(JSON.parse((await result.textContent()) ?? '')).toEqual({ name: 'Ada', size: 'large', milk: ['oat'] })
  await push(page, call)
  await push(page, question.getByRole('button', { name: 'Decline' }))
  await page.getByText('It was a decline.').waitFor()
  expect(complaints).toEqual([])
})

scenario(['page/keyboard'], 'two runs are made, looked at and compared without a mouse', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  for (const title of ['One', 'Two']) {
    await find(page, 'Tools', 'runs__run_job')
    await page.getByRole('textbox', { name: 'job' }).waitFor()
    await tabTo(page, page.getByRole('textbox', { name: 'job' }))
    await page.keyboard.type('orders-summary')
    await tabTo(page, page.getByRole('textbox', { name: 'input' }))
    await page.keyboard.type(JSON.stringify({ title }))
    await push(page, page.getByRole('button', { name: 'Call' }))
    await page.getByText('"status": "passed"').first().waitFor()
  }
  await find(page, 'Runs', 'orders-summary')
  await page.getByRole('heading', { name: 'orders-summary' }).waitFor()
  const bar = page.locator('.bars li summary').first()
  await push(page, bar)
  await page.locator('.bars li pre').first().waitFor()
  await push(page, page.getByRole('button', { name: 'Compare' }))
  await page.getByRole('table', { name: 'what differs' }).getByText('input changed: /title').first().waitFor()
  expect(complaints).toEqual([])
})
