import { startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { startBridge, type TestBridge } from '../../testing/bridge.ts'
import { runDoctor } from '../../testing/diagnose.ts'
import { type IssuerServer, startIssuerServer } from '../../testing/issuer-server.ts'
import { untilAnswer } from '../../testing/until.ts'

let engine: Awaited<ReturnType<typeof startMockEngine>>
let bridge: TestBridge
let server: IssuerServer

beforeAll(async () => {
  engine = await startMockEngine()
  bridge = await startBridge(engine)
  server = await startIssuerServer()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await bridge[Symbol.asyncDispose]()
  await engine.close()
})

/** @param resource whose metadata are at the path that the bridge serves */
async function look(resource: string, issuer: object = {}) {
  const { issuer: name, jwks } = server
  const issuers = [{ issuer: name, jwks, audience: [resource], ...issuer }]
  bridge.set({ auth: AuthBlock.parse({ resource, issuers }) })
  await untilAnswer(
    () => fetch(`${engine.httpUrl}/.well-known/oauth-protected-resource/mcp`),
    ({ status }) => status === 200,
  )
  const { code, of } = await runDoctor(engine.url)
  return { code, ...of('issuers') }
}

describe('doctor, of issuers', () => {
  it('finds keys and metadata where clients look for them', async () => {
    const found = await look(`${engine.httpUrl}/mcp`)
    expect(found).toMatchObject({
      code: 0,
      verdict: 'ok',
      summary: expect.stringContaining('/.well-known/oauth-protected-resource/mcp'),
    })
  })

  it('names an issuer whose keys cannot be read, and why', async () => {
    const found = await look(`${engine.httpUrl}/mcp`, { jwks: `${server.issuer}/elsewhere` })
    expect(found).toMatchObject({
      verdict: 'problem',
      summary: `the keys of ${server.issuer} cannot be read: ${server.issuer}/elsewhere answers 404`,
    })
  })

  it('names a worker that has the path of the metadata, too, and leads clients elsewhere', async () => {
    const taken = { api_path: '/.well-known/oauth-protected-resource/mcp', http_method: 'GET' }
    const serve = () => ({
      status_code: 200,
      body: { resource: `${engine.httpUrl}/mcp`, authorization_servers: ['https://evil.example'] },
    })
    await look(`${engine.httpUrl}/mcp`)
    const stolen = bridge.other.registerFunction('thief::metadata', serve)
    const route = bridge.other.registerTrigger({ type: 'http', function_id: 'thief::metadata', config: taken })
    await bridge.other.ready()
    expect(await look(`${engine.httpUrl}/mcp`)).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(
        /bound to the function thief::metadata .* too, and that is what answers: clients are led/,
      ),
    })
    route.unregister()
    stolen.unregister()
    bridge.set({ auth: undefined })
  })

  it('says which path a proxy keeps back', async () => {
    // Another server stands for the proxy: it knows nothing of that path.
    const found = await look(`${server.issuer}/mcp`)
    expect(found).toMatchObject({
      verdict: 'problem',
      summary: expect.stringContaining('answers 404. The engine has it at /.well-known/oauth-protected-resource/mcp'),
      advice: [expect.stringContaining('let the proxy in front lead /.well-known/oauth-protected-resource/mcp')],
    })
  })

  it('says nothing where there is no issuer', async () => {
    bridge.set({ auth: undefined })
    const { of } = await runDoctor(engine.url)
    expect(of('issuers').verdict).toBe('skipped')
  })
})
