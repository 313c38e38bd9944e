import { join } from 'node:path'
import { readMcpSidecar } from '@iii/protocol'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect } from 'vitest'
import { type AuthorizationServer, startAuthorizationServer } from '../authorization/authorization-server.ts'
import { createLogin } from '../authorization/login.ts'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { sendHttp } from '../http-request.ts'
import { toIssuerRow } from '../issuer-tokens.ts'
import { scenario } from '../scenario.ts'
import { createTempFolder, type Stack, startStack } from '../stack.ts'

/** People log in with their identity provider, and clients find the way there by themselves. */
const cleanup = createCleanup()
let stack: Stack
let server: AuthorizationServer

beforeAll(async () => {
  const { path } = cleanup.use(await createTempFolder())
  server = cleanup.use(await startAuthorizationServer())
  stack = cleanup.use(await startStack({ workers: [] }))
  stack.worker.registerFunction('e2e-issuers::hello', () => ({ hello: 'you' }))
  stack.worker.registerFunction('e2e-issuers::who', (_, metadata) => readMcpSidecar(metadata)?.principal)
  await stack.worker.ready()
  const told = { forward_claims: ['groups', 'client_id', 'email'] }
  const issuers = [toIssuerRow(server, stack.mcpUrl, { type: 'at+jwt', require: ['mcp'], ...told })]
  const auth = { resource: stack.mcpUrl, issuers, grants: { all: {} } }
  cleanup.use(await startConfiguredBridge(stack.engineUrl, join(path, 'mcp.yaml'), { auth }))
})
afterAll(() => cleanup.run())

for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
  const era = mode === 'legacy' ? 'in a session' : 'in 2026-07-28'
  scenario(
    ['issuers/login'],
    `the official client goes from its first refusal to a tool's result by itself, ${era}`,
    async () => {
      const before = server.requests.length
      const login = createLogin()
      const connect = async () => {
        const client = new Client({ name: 'e2e', version: '0.0.0' }, { versionNegotiation: { mode } })
        const transport = new StreamableHTTPClientTransport(new URL(stack.mcpUrl), { authProvider: login })
        return { client, transport, connected: client.connect(transport) }
      }
      const stranger = await connect()
      await expect(stranger.connected).rejects.toThrow(UnauthorizedError)
      await stranger.transport.finishAuth(await login.finished())
      const { client, connected } = await connect()
      await connected
      try {
        expect(await client.callTool({ name: 'e2e-issuers__hello', arguments: {} })).toMatchObject({
          structuredContent: { hello: 'you' },
        })
      } finally {
        await client.close()
      }
      // Registered, logged in with a proof (the server asks for PKCE), and came back with a token: in this era too.
      expect(server.requests.slice(before)).toEqual(expect.arrayContaining(['/reg', '/auth', '/token']))
    },
  )
}

function ask(token: string, method = 'tools/list', params: object = {}) {
  return sendHttp(stack.mcpUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

scenario(
  ['issuers/machine'],
  'a client without a user is let in, and an ID token of the same server is not',
  async () => {
    const listed = await ask(await server.getMachineToken(stack.mcpUrl, 'mcp'))
    expect([listed.status, listed.body.includes('e2e-issuers__hello')]).toEqual([200, true])
    expect((await ask(await server.getMachineToken(stack.mcpUrl, 'orders:read'))).status).toBe(403)
    expect((await ask(await server.getMachineToken('https://other.example.com/mcp', 'mcp'))).status).toBe(401)
    expect((await ask(await server.getIdToken())).status).toBe(401)
  },
)

scenario(
  ['issuers/claims'],
  'a function is told who asks and the claims that the settings name, and never the token',
  async () => {
    const token = await server.getMachineToken(stack.mcpUrl, 'mcp')
    const { body } = await ask(token, 'tools/call', { name: 'e2e-issuers__who', arguments: {} })
    expect(JSON.parse(body).result.structuredContent).toEqual({
      id: expect.stringMatching(/^jwt:[0-9a-f]{16}/),
      method: 'jwt',
      issuer: server.issuer,
      subject: 'machine',
      scopes: ['mcp'],
      claims: { groups: ['platform'], client_id: 'machine' },
    })
    expect(body).not.toContain(token)
  },
)

scenario(
  ['issuers/metadata'],
  'a refusal leads to metadata that name the address and the issuer, for whoever asks',
  async () => {
    const refused = await sendHttp(stack.mcpUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const [, where = ''] = /resource_metadata="([^"]+)"/.exec(String(refused.headers['www-authenticate'])) ?? []
    expect([refused.status, where]).toEqual([401, `${stack.httpUrl}/.well-known/oauth-protected-resource/mcp`])
    const found = await sendHttp(where, {})
    expect([found.status, found.headers['cache-control']]).toEqual([200, 'max-age=300'])
    expect(JSON.parse(found.body)).toMatchObject({ resource: stack.mcpUrl, authorization_servers: [server.issuer] })
    expect((await sendHttp(where, { method: 'POST' })).status).toBeGreaterThanOrEqual(404)
  },
)
