import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AuthorizationServer, startAuthorizationServer } from '../authorization/authorization-server.ts'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { type InspectorWeb, startInspectorWeb } from '../inspector-web.ts'
import { toIssuerRow } from '../issuer-tokens.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { startBrowser, type TestBrowser } from '../test-browser.ts'

const cleanup = createCleanup()
let stack: Stack
let server: AuthorizationServer
let inspector: InspectorWeb
let browser: TestBrowser

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  server = cleanup.use(await startAuthorizationServer())
  stack = cleanup.use(await startStack({ workers: [] }))
  stack.worker.registerFunction('e2e-inspector::hello', () => ({ hello: 'whoever has logged in' }))
  await stack.worker.ready()
  const issuers = [toIssuerRow(server, stack.mcpUrl, { type: 'at+jwt', require: ['mcp'] })]
  const auth = { resource: stack.mcpUrl, issuers, grants: { all: {} } }
  cleanup.use(await startConfiguredBridge(stack.engineUrl, join(path, 'mcp.yaml'), { auth }))
  inspector = cleanup.use(await startInspectorWeb(stack.mcpUrl))
  browser = cleanup.use(await startBrowser())
})
afterAll(() => cleanup.run())

scenario(['issuers/inspector'], 'the Inspector in a browser logs in and calls a tool', async () => {
  await using opened = await browser.open(inspector.url)
  const { page } = opened
  await page.getByRole('switch', { name: /^Connect or disconnect/ }).click({ force: true })
  await page.getByText('Tools', { exact: true }).first().click()
  await page.getByText('e2e-inspector__hello').first().click()
  await page.getByRole('button', { name: 'Execute Tool' }).click()
  await page.getByText('whoever has logged in').first().waitFor()
  for (const path of ['/reg', '/auth', '/token']) expect(server.requests).toContain(path)
})
