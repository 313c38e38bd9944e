import { expect } from 'vitest'
import { choose, showView, usePageDemo } from '../page-demo.ts'
import { postStateless } from '../raw-client.ts'
import { scenario } from '../scenario.ts'
import { until } from '../until.ts'

const LEAVES = Array.from({ length: 180 }, (_, at) => `wide::leaf_${at}`)

const stage = usePageDemo((worker) => {
  for (const id of LEAVES) worker.registerFunction(id, () => ({ id }))
  const metadata = { 'runs.job': true, 'runs.depends_on': LEAVES }
  worker.registerFunction('wide::root', () => 1, { metadata })
})

scenario(
  ['page/runs'],
  'a job that runs is seen with its times and its graph, and compared with the one before',
  async () => {
    await using opened = await stage.open()
    const { page, complaints } = opened
    await choose(page, 'runs__run_job')
    const run = async (title: string) => {
      await page.getByRole('textbox', { name: 'job' }).fill('orders-summary')
      await page.getByRole('textbox', { name: 'input' }).fill(JSON.stringify({ title }))
      await page.getByRole('button', { name: 'Call' }).click()
      await page.getByText('"status": "passed"').first().waitFor()
    }
    await run('One')
    await showView(page, 'Runs')
    await page.getByRole('img', { name: /orders::collect/ }).waitFor()
    const rows = page.locator('.list').getByRole('link', { name: 'orders-summary' })
    await rows.first().waitFor()
    expect(await rows.count()).toBe(1)

    await showView(page, 'Tools')
    await choose(page, 'runs__run_job')
    await run('Two')
    await showView(page, 'Runs')
    await rows.nth(1).waitFor()
    await rows.first().click()
    await page.getByRole('heading', { name: 'orders-summary' }).waitFor()
    const bars = page.locator('.bars li')
    expect(await bars.count()).toBe(4)
    await bars.filter({ hasText: 'orders::chart' }).getByText('cache hit').waitFor()
    const picture = page.getByRole('img', { name: /what depends on what/ })
    await picture.locator('g.box').first().waitFor()
    expect(await picture.locator('g.box').count()).toBe(4)
    expect(await picture.locator('path.line').count()).toBe(4)

    await page.getByRole('button', { name: 'Compare' }).click()
    const row = page.getByRole('table', { name: 'what differs' }).getByRole('row', { name: 'orders::summary ' })
    await row.getByText('input changed: /title').waitFor()
    expect(await row.textContent()).toContain('another result')
    expect(complaints).toEqual([])
  },
)

scenario(['page/runs'], 'a call of a client stands between the runs, with what is kept of it', async () => {
  await using opened = await stage.open()
  const { page, complaints } = opened
  await choose(page, 'orders__list')
  await page.getByRole('button', { name: 'Call' }).click()
  await page.locator('.result pre').waitFor()
  await showView(page, 'Runs')
  await page.locator('.list').getByRole('link', { name: '✓ orders__list' }).first().click()
  const chosen = page.getByRole('region', { name: 'what was chosen' })
  await chosen.getByRole('heading', { name: 'orders__list' }).waitFor()
  await chosen.getByText('"function_id": "orders::list"').waitFor()
  for (let at = 0; at < 60; at++)
    await postStateless(stage.demo.mcpUrl, 'tools/call', { name: 'orders__list', arguments: { limit: 1 } }).over
  const newest = page.locator('.list a').first()
  const before = await newest.getAttribute('href')
  await until(async () => (await newest.getAttribute('href')) !== before, { what: 'newer calls' })
  await until(async () => (await page.locator('.list a[aria-current]').count()) === 0, { what: 'it to leave the list' })
  await chosen.getByText('"function_id": "orders::list"').waitFor()
  expect(complaints).toEqual([])
})

scenario(['page/runs'], 'a run of more tasks than a bridge shows at a time is shown all the same', async () => {
  const request = { function_id: 'runs::run_job', payload: { job: 'wide::root' } }
  expect(await stage.worker.trigger(request)).toMatchObject({ status: 'passed' })
  await using opened = await stage.open()
  const { page, complaints } = opened
  await showView(page, 'Runs')
  const picture = page.getByRole('img', { name: /wide::root/ })
  await picture.waitFor()
  const row = page.locator('.list').getByRole('link', { name: 'wide::root' }).first()
  expect(await row.textContent()).toContain(`, ${LEAVES.length + 1} tasks`)
  await row.click()
  await page.getByText(/^Too large to be shown: \d+ of its tasks and values/).waitFor()
  expect(await page.locator('.bars li').count()).toBeGreaterThan(50)
  await until(async () => (await page.locator('g.box').count()) === LEAVES.length + 1, { what: 'the whole graph' })
  expect(complaints).toEqual([])
})

scenario(['page/runs'], 'a run that was chosen is shown although the list of runs cannot be had', async () => {
  const request = { function_id: 'runs::run_job', payload: { job: 'orders-summary' } }
  const { id } = await stage.worker.trigger<{ id: string }>(request)
  await using opened = await stage.open()
  const { page } = opened
  await page.route(stage.demo.mcpUrl, async (route) => {
    const said = route.request().postData() ?? ''
    const isList = said.includes('runs__list_runs')
    await route.continue(isList ? { postData: said.replace('"limit":50', '"limit":0') } : {})
  })
  await page.evaluate(`location.hash = '#/runs/${id}'`)
  await page.locator('.list').getByText('limit: must be at least 1').waitFor()
  const chosen = page.getByRole('region', { name: 'what was chosen' })
  await chosen.getByRole('heading', { name: 'orders-summary' }).waitFor()
  expect(await chosen.locator('.bars li').count()).toBe(4)
})
