import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AuthorizationServer, startAuthorizationServer } from '../authorization/authorization-server.ts'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { askFromPage, startEmptyPage, startPageProxy } from '../foreign-page.ts'
import { sendHttp } from '../http-request.ts'
import { toIssuerRow } from '../issuer-tokens.ts'
import { readCodeBlock, readPage } from '../pages.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'
import { toStateless } from '../stateless.ts'
import { startBrowser, type TestBrowser } from '../test-browser.ts'

/** A page that is neither of the bridge nor of its engine, and calls it as a client in a browser does. */
const cleanup = createCleanup()
let stack: Stack
let server: AuthorizationServer
let browser: TestBrowser
let bearer: { readonly authorization: string }
let port: number
let calls = 0

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  server = cleanup.use(await startAuthorizationServer())
  stack = cleanup.use(await startStack({ workers: [] }))
  stack.worker.registerFunction('e2e-origin::hello', () => {
    calls += 1
    return { hello: 'page of another origin' }
  })
  await stack.worker.ready()
  ;({ port } = cleanup.use(await startEmptyPage()))
  const issuers = [toIssuerRow(server, stack.mcpUrl, { require: ['mcp'] })]
  const auth = { resource: stack.mcpUrl, issuers, grants: { all: {} } }
  const settings = { auth, allowed_origins: [toOrigin('let-in')] }
  cleanup.use(await startConfiguredBridge(stack.engineUrl, join(path, 'mcp.yaml'), settings))
  bearer = { authorization: `Bearer ${await server.getMachineToken(stack.mcpUrl, 'mcp')}` }
  browser = cleanup.use(await startBrowser())
})
afterAll(() => cleanup.run())

/** No name that the bridge takes for its own machine's; browsers know that it is this one. */
const toOrigin = (name: string) => `http://${name}.localhost:${port}`
const openPage = (name: string) => browser.open(toOrigin(name))

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
}
const { headers: CALL_HEADERS, params } = toStateless('tools/call', { name: 'e2e-origin__hello', arguments: {} })
const CALL = { method: 'tools/call', params }

/** Opens a session, listens, and ends it. @returns how the end is answered */
async function useSession(page: Page, url: string): Promise<number> {
  const opened = await askFromPage(page, { url, headers: bearer, message: INITIALIZE })
  expect(opened.status).toBe(200)
  const id = opened.headers['mcp-session-id'] ?? ''
  expect(id).not.toBe('')
  const session = { ...bearer, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
  const stream = await askFromPage(page, { url, method: 'GET', headers: { ...session, 'last-event-id': '0' } })
  expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream'])
  return (await askFromPage(page, { url, method: 'DELETE', headers: session })).status
}

/** All that a client does with a server that asks for tokens, from the first refusal on. */
async function useServer(page: Page, url: string): Promise<void> {
  const refused = await askFromPage(page, { url, message: INITIALIZE })
  expect([refused.status, refused.body]).toEqual([401, expect.stringContaining('Unauthorized')])
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers['www-authenticate'] ?? '') ?? []
  const headers = { 'mcp-protocol-version': '2025-11-25' }
  const told = await askFromPage(page, { url: metadata, method: 'GET', headers })
  expect(JSON.parse(told.body)).toMatchObject({ authorization_servers: [server.issuer] })

  const wrong = await askFromPage(page, { url, headers: { authorization: 'Bearer nobody' }, message: INITIALIZE })
  expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, expect.stringContaining('invalid_token')])
  expect(await useSession(page, url)).toBe(204)
  const { status, body } = await askFromPage(page, { url, headers: { ...bearer, ...CALL_HEADERS }, message: CALL })
  expect([status, body]).toEqual([200, expect.stringContaining('page of another origin')])
}

/** What the documents let a proxy say to OPTIONS, to the page that is let in: the same by each of their samples. */
function readDocumented(): Readonly<Record<string, string>> {
  const page = readPage('docs/identity-providers.md')
  const [headers = {}, again] = (['nginx', 'caddy'] as const).map((language) => {
    const lines = readCodeBlock(page, language, 'OPTIONS').matchAll(
      /^\s*(?:add_)?header (\S+) +(?:"([^"]+)"|([^\s";]+))/gm,
    )
    return Object.fromEntries([...lines].map(([, name = '', quoted, bare]) => [name.toLowerCase(), quoted ?? bare]))
  })
  expect(again).toEqual(headers)
  expect(headers['access-control-allow-origin']).toMatch(/^https:\/\/[\w.-]+$/)
  return { ...headers, 'access-control-allow-origin': toOrigin('let-in') }
}

const startProxyThatSays = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  startPageProxy(stack.httpUrl, { status, headers })

scenario(
  ['issuers/other-origin'],
  'a page of another origin calls with a token, and reads why it is refused',
  async () => {
    const preflight = await sendHttp(stack.mcpUrl, { method: 'OPTIONS', headers: { origin: toOrigin('let-in') } })
    expect(preflight.headers).toMatchObject({ 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' })
    await using opened = await openPage('let-in')
    const before = calls
    await useServer(opened.page, stack.mcpUrl)
    expect(calls - before).toBe(1)
  },
)

scenario(
  ['issuers/other-origin'],
  'a proxy says to browsers by itself, as documented, what pages may send',
  async () => {
    await using proxy = await startProxyThatSays(204, readDocumented())
    await using opened = await openPage('let-in')
    await useServer(opened.page, `${proxy.url}/mcp`)
    expect(new Set(proxy.methods)).toEqual(new Set(['OPTIONS', 'POST', 'GET', 'DELETE']))

    await using other = await openPage('stranger')
    const before = proxy.methods.length
    const refused = askFromPage(other.page, { url: `${proxy.url}/mcp`, headers: bearer, message: INITIALIZE })
    await expect(refused).rejects.toThrow('Failed to fetch')
    expect(proxy.methods.slice(before)).toEqual(['OPTIONS'])
  },
)

scenario(['issuers/other-origin'], 'a page that nobody has let in reads that it is refused, token or not', async () => {
  await using opened = await openPage('stranger')
  const before = calls
  for (const headers of [{ ...CALL_HEADERS }, { ...bearer, ...CALL_HEADERS }]) {
    const { status, body } = await askFromPage(opened.page, { url: stack.mcpUrl, headers, message: CALL })
    expect([status, body]).toEqual([403, expect.stringContaining('allowed_origins')])
  }
  expect(calls).toBe(before)
})

scenario(['issuers/other-origin'], 'what a proxy does not name to browsers, pages do not send', async () => {
  const documented = readDocumented()
  const names = documented['access-control-allow-headers']?.replace(/^authorization, /i, '') ?? ''
  expect(names).not.toMatch(/authorization/i)
  await using nameless = await startProxyThatSays(204, { ...documented, 'access-control-allow-headers': names })
  await using opened = await openPage('let-in')
  const { page, complaints } = opened
  const ask = (url: string, headers = {}) => askFromPage(page, { url: `${url}/mcp`, headers, message: INITIALIZE })
  expect((await ask(nameless.url)).status).toBe(401)
  await expect(ask(nameless.url, bearer)).rejects.toThrow('Failed to fetch')
  expect(nameless.methods).toEqual(['OPTIONS', 'POST', 'OPTIONS'])
  expect(complaints.join('\n')).toContain('authorization is not allowed by Access-Control-Allow-Headers')

  const { 'access-control-allow-methods': _, ...methodless } = documented
  await using endless = await startProxyThatSays(204, methodless)
  await expect(useSession(page, `${endless.url}/mcp`)).rejects.toThrow('Failed to fetch')
  expect(endless.methods).toContain('GET')
  expect(endless.methods).not.toContain('DELETE')

  await using asking = await startProxyThatSays(401)
  await expect(ask(asking.url, bearer)).rejects.toThrow('Failed to fetch')
  expect(asking.methods).toEqual(['OPTIONS'])
})
