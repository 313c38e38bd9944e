import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { createCleanup } from '../cleanup.ts'
import { showView } from '../page-demo.ts'
import { scenario } from '../scenario.ts'
import { type Stack, startStack } from '../stack.ts'
import { startBrowser, type TestBrowser } from '../test-browser.ts'

const cleanup = createCleanup()
let stack: Stack
let browser: TestBrowser
beforeAll(async () => {
  stack = cleanup.use(await startStack())
  browser = cleanup.use(await startBrowser())
})
afterAll(() => cleanup.run())

scenario(['page/token'], 'without a token there is a form for one, and with it everything', async () => {
  await using guard = await startGuard('right')
  await using opened = await browser.open(guard.url)
  const { page, complaints } = opened
  const field = page.getByLabel('Token')
  await field.waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  await field.fill('\u201cright\u201d')
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByText('A token has letters').waitFor()
  await field.fill('wrong')
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByText('It does not take that one.').waitFor()
  expect(await page.getByText('A token has letters').count()).toBe(0)
  await field.fill(' right ')
  await field.press('Enter')
  await page.getByRole('link', { name: 'Create an order' }).waitFor()
  expect(
    await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
  ).toBe('[{},{},""]')

  // The token is taken away while the page is open: the next thing that is asked says so.
  await showView(page, 'Prompts')
  await page.getByRole('link', { name: 'refund-order' }).click()
  guard.token = 'another'
  await page.getByRole('button', { name: 'Get' }).click()
  await field.waitFor()
  expect(await page.getByText('refund-order').count()).toBe(0)
  await field.fill('another')
  await field.press('Enter')
  await page.getByRole('link', { name: 'refund-order' }).waitFor()

  await page.reload()
  await field.waitFor()
  expect(complaints.filter((line) => !line.includes('401'))).toEqual([])
})

scenario(['page/away'], 'what is away is named with what to do, and the page comes back by itself', async () => {
  await using opened = await browser.open(stack.mcpUrl)
  const { page } = opened
  const tool = page.getByRole('link', { name: 'Create an order' })
  const alert = page.getByRole('alert')
  await tool.waitFor()

  await stack.stop('mcp')
  await alert.getByText('npx -y @iii/mcp --no-stdio').waitFor()
  await stack.startBridge()
  await alert.waitFor({ state: 'detached' })

  await stack.stop('engine')
  await alert.getByText('Is the engine running?').waitFor()
  expect(await tool.count()).toBe(1)
  await stack.startEngine()
  await alert.waitFor({ state: 'detached', timeout: 30_000 })

  await stack.stop('skills')
  await showView(page, 'Skills')
  await page.getByText('npx -y @iii/skills').waitFor()
  await stack.startSkills()
  await page.getByText('npx -y @iii/skills').waitFor({ state: 'detached' })
  await page.locator('a[href="#/skills/iii%3A%2F%2Fskills"]').waitFor()
  await showView(page, 'Tools')
  await tool.waitFor()
})

scenario(['page/away', 'page/live'], 'a skill opened by its address comes, comes again, and keeps up', async () => {
  const register = (text: string) => {
    const payload = {
      id: 'kettle',
      skill: `# The kettle\n\nBoils.\n\n- ${text}\n`,
      files: [{ path: 'notes.md', text: 'Hot.' }],
    }
    return stack.worker.trigger({ function_id: 'skills::register', payload })
  }
  await register('Holds one litre.')
  await using opened = await browser.open(`${stack.mcpUrl}#/skills/${encodeURIComponent('iii://kettle')}`)
  const { page } = opened
  const expectWhole = async () => {
    await page.getByText('Holds one litre.').waitFor()
    await page.getByRole('link', { name: 'notes.md' }).waitFor()
  }
  await expectWhole()
  await page.reload()
  await expectWhole()

  const alert = page.getByRole('alert')
  await stack.stop('mcp')
  await alert.waitFor()
  await page.locator('a[href="#/skills/iii%3A%2F%2Forders"]').click()
  await page.getByText('iii://orders', { exact: true }).waitFor()
  await page.goBack()
  expect(await alert.count()).toBe(1)
  const subscribed = page.waitForResponse((reply) => reply.request().postData()?.includes('iii://kettle"]') === true)
  await stack.startBridge()
  await alert.waitFor({ state: 'detached' })
  await expectWhole()
  await subscribed
  await register('Holds two litres.')
  await page.getByText('Holds two litres.').waitFor()
})

scenario(
  ['page/live'],
  'what came after the lists were read, and before the page could listen, is listed',
  async () => {
    await using slow = await browser.open(stack.mcpUrl)
    await using other = await browser.open(stack.mcpUrl)
    const known = slow.page.getByRole('link', { name: 'Create an order' })
    const late = (page: Page) => page.getByRole('link', { name: 'orders__late' }).waitFor()
    await known.waitFor()
    let listen: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      listen = resolve
    })
    await slow.page.route(stack.mcpUrl, async (route) => {
      if (route.request().postData()?.includes('"toolsListChanged"')) await held
      await route.continue()
    })
    await slow.page.reload()
    await known.waitFor()
    stack.worker.registerFunction('orders::late', () => 'late')
    await late(other.page)
    listen()
    await late(slow.page)
  },
)

interface Guard extends AsyncDisposable {
  readonly url: string
  /** The only one that is let through. */
  token: string
}

/** Stands before the bridge, and lets no POST through that has not the token. */
async function startGuard(token: string): Promise<Guard> {
  const target = new URL(stack.mcpUrl)
  const server: Server = createServer((incoming, outgoing) => {
    if (incoming.method === 'POST' && incoming.headers.authorization !== `Bearer ${guard.token}`) {
      incoming.resume()
      outgoing.writeHead(401, { 'www-authenticate': 'Bearer realm="mcp"', 'content-type': 'application/json' })
      outgoing.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"This server wants a token"}}')
      return
    }
    const { origin: _origin, ...headers } = incoming.headers
    const { method } = incoming
    const passed = request(target, { method, headers: { ...headers, host: target.host } }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(outgoing)
    })
    outgoing.on('close', () => passed.destroy())
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const guard: Guard = {
    token,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return guard
}
