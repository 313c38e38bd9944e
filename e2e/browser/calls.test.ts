import { setTimeout as pause } from 'node:timers/promises'
import { type McpContext, registerMcpFunction, type Worker } from '@iii/sdk'
import { expect } from 'vitest'
import { z } from 'zod'
import { choose, showView, usePageDemo } from '../page-demo.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const Colors = z.object({
  name: z.string(),
  size: z.enum(['small', 'large']),
  colors: z.array(z.enum(['red', 'green', 'blue'])),
})

let wasCancelled = false
const stage = usePageDemo((worker) => {
  const offer = (id: string, run: (mcp: McpContext) => Promise<unknown>) =>
    registerMcpFunction(worker, id, (_input, mcp) => run(mcp), { request_format: z.object({}), mcp: { expose: true } })

  offer('shop::wait', async ({ progress, signal }) => {
    await progress(1, 4, 'Looking for tea')
    signal.addEventListener('abort', () => {
      wasCancelled = true
    })
    await pause(60_000, undefined, { signal })
  })
  offer('shop::ask', async ({ ask }) => {
    const answer = await ask.form('What shall it be?', Colors, { key: 'what' })
    return answer.action === 'accept' ? JSON.stringify(answer.content) : `It was a ${answer.action}.`
  })
  offer('shop::show', async () => ({ content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] }))
})

scenario(['page/calls'], 'a call tells how far it is, and is cancelled', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await choose(page, 'shop__wait')
  await page.getByRole('button', { name: 'Call' }).click()
  await page.getByText('1 of 4 Looking for tea').waitFor()
  expect(await page.getByRole('progressbar').getAttribute('max')).toBe('4')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Cancelled.').waitFor()
  await until(() => wasCancelled, { what: 'the function to hear of it' })
  expect(complaints).toEqual([])
})

scenario(['page/calls'], 'a question of a function is a form, which is answered, declined or left', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await choose(page, 'shop__ask')
  const call = page.getByRole('button', { name: 'Call' })
  await call.click()
  const question = page.getByRole('dialog')
  await question.getByText('What shall it be?').waitFor()
  await question.getByLabel('name').fill('Ada')
  await question.getByRole('combobox').selectOption('large')
  await question.getByRole('checkbox', { name: 'red' }).check()
  await question.getByRole('checkbox', { name: 'blue' }).check()
  await question.getByRole('button', { name: 'Answer' }).click()
  const result = page.locator('.result pre')
  await result.waitFor()
  expect(JSON.parse((await result.textContent()) ?? '')).toEqual({
    name: 'Ada',
    size: 'large',
    colors: ['red', 'blue'],
  })
  await call.click()
  await question.getByRole('button', { name: 'Decline' }).click()
  await page.getByText('It was a decline.').waitFor()
  await call.click()
  await question.waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('It was a cancel.').waitFor()
  expect(complaints).toEqual([])
})

scenario(['page/calls'], 'a picture that a function returns is seen', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await choose(page, 'shop__show')
  await page.getByRole('button', { name: 'Call' }).click()
  const picture = page.getByRole('img')
  await picture.waitFor()
  expect(await picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(1)
  expect(complaints).toEqual([])
})

scenario(['page/live'], 'a new tool and a changed skill are seen without a click', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await page.getByRole('link', { name: 'shop__show' }).waitFor()
  const late = offerLate(stage.worker)
  await page.getByRole('link', { name: 'shop__late' }).waitFor()
  late.unregister()
  await page.getByRole('link', { name: 'shop__late' }).waitFor({ state: 'detached' })
  await register('# Tea\n\nGreen tea.')
  await showView(page, 'Skills')
  await choose(page, 'Tea')
  const chosen = page.getByRole('region', { name: 'what was chosen' })
  await chosen.getByText('Green tea.').waitFor()
  await register('# Tea\n\nBlack tea.')
  await chosen.getByText('Black tea.').waitFor()
  await stage.worker.trigger({ function_id: 'skills::unregister', payload: { id: 'tea' } })
  expect(complaints).toEqual([])
})

function offerLate(worker: Worker) {
  return worker.registerFunction('shop::late', () => 'late', { description: 'It came late.' })
}

async function register(skill: string): Promise<void> {
  await stage.worker.trigger({ function_id: 'skills::register', payload: { id: 'tea', skill } })
}
