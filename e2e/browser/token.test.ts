import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { runToEnd, startChild } from '../child.ts'
import { createCleanup } from '../cleanup.ts'
import { sendHttp } from '../http-request.ts'
import { bridgeProgram } from '../programs.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { startBrowser, type TestBrowser } from '../test-browser.ts'
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

/** Runs `iii-mcp token create`. */
async function inventToken(name: string): Promise<{ token: string; block: string }> {
  const { stdout, stderr } = await runToEnd({ ...bridgeProgram(''), args: ['token', 'create', name] })
  return { token: stdout.trim(), block: /^auth:\n(?: .*\n)+/m.exec(stderr)?.[0] ?? '' }
}

async function ping(token: string): Promise<number> {
  const { status } = await sendHttp(stack.mcpUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  })
  return status
}

scenario(['page/token'], 'a token that the command made opens the page, until the file has it no more', async () => {
  const [one, two] = [await inventToken('one'), await inventToken('two')]
  await writeFile(file, one.block)
  await using bridge = startChild(bridgeProgram(stack.engineUrl, ['--no-stdio', '--config', file]))
  await bridge.line(/"msg":"ready"/)
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
  await until(async () => (await ping(one.token)) === 401, { what: 'the token to end' })
  await page.getByRole('button', { name: 'Call' }).click()
  await field.waitFor()
  expect(await page.getByText('e2e-page__hello').count()).toBe(0)
  expect(complaints.filter((line) => !line.includes('401'))).toEqual([])
})
