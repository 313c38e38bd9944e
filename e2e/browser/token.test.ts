import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { startBrowser, type TestBrowser } from '../test-browser.ts'
import { askAs } from '../token-callers.ts'
import { runTokenCreate } from '../token-command.ts'
import { until } from '../until.ts'

const cleanup = createCleanup()
let stack: Stack
let browser: TestBrowser
let file: string
beforeAll(async () => {
  file = join(cleanup.use(await createTempFolder()).path, 'mcp.yaml')
  stack = cleanup.use(await startStack({ workers: ['skills'] }))
  stack.worker.registerFunction('e2e-page::hello', () => ({ hello: 'you' }), { metadata: { 'mcp.expose': true } })
  await stack.worker.ready()
  browser = cleanup.use(await startBrowser())
})
afterAll(() => cleanup.run())

scenario(['page/token'], 'a token that the command made opens the page, until the file has it no more', async () => {
  const [one, two] = [await runTokenCreate('one'), await runTokenCreate('two')]
  await using _ = await startConfiguredBridge(stack.engineUrl, file, one.block)
  await using opened = await browser.open(stack.mcpUrl)
  const { page, complaints } = opened
  const field = page.getByLabel('Token')
  await field.fill(two.token)
  await field.press('Enter')
  await page.getByText('It does not take that one.').waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  await field.fill(one.token)
  await field.press('Enter')
  await page.getByRole('link', { name: 'e2e-page__hello' }).click()
  await page.getByRole('button', { name: 'Call' }).click()
  await page.getByText('"hello": "you"').waitFor()

  await writeFile(file, two.block)
  await until(async () => (await askAs(one.token, stack.mcpUrl, 'ping')).status === 401, { what: 'the token to end' })
  await page.getByRole('button', { name: 'Call' }).click()
  await field.waitFor()
  expect(await page.getByText('e2e-page__hello').count()).toBe(0)
  expect(complaints.filter((line) => !line.includes('401'))).toEqual([])
})

scenario(
  ['page/token'],
  'where callers without a token see something, the page shows that, and what a token sees',
  async () => {
    const some = await runTokenCreate('some')
    const grants = '  anonymous: { grant: none }\n  grants:\n    none: { tiers: [] }\n'
    await using _ = await startConfiguredBridge(stack.engineUrl, file, some.block.replace('  grants:\n', grants))
    await using opened = await browser.open(stack.mcpUrl)
    const { page, complaints } = opened
    await page.getByRole('link', { name: 'skill__fetch' }).waitFor()
    expect(await page.getByText('e2e-page__hello').count()).toBe(0)
    await page.getByRole('link', { name: 'Connect', exact: true }).click()
    await page.getByText('needs this address and nothing else').waitFor()
    await page.getByText('See what a token sees').click()
    await page.getByLabel('Token').fill(some.token)
    await page.getByLabel('Token').press('Enter')
    await page.getByText('Authorization: Bearer TOKEN').waitFor()
    await page.getByRole('link', { name: 'Tools', exact: true }).click()
    await page.getByRole('link', { name: 'e2e-page__hello' }).waitFor()
    expect(complaints).toEqual([])
  },
)
