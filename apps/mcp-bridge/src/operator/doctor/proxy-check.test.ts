import { request } from 'node:http'
import { startMockEngine } from '@iii/mock-engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuthBlock } from '../../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../../auth/token.ts'
import { startBridge, type TestBridge } from '../../testing/bridge.ts'
import { runDoctor } from '../../testing/diagnose.ts'
import { startHttpServer } from '../../testing/http-server.ts'

const secret = createToken()
const tokens = [{ name: 'ci', grant: 'all', hash: [toDigest(secret)] }]
const auth = AuthBlock.parse({ tokens, grants: { all: {} } })

let engine: Awaited<ReturnType<typeof startMockEngine>>
let bridge: TestBridge

beforeAll(async () => {
  engine = await startMockEngine()
  bridge = await startBridge(engine, { options: { auth } })
})
afterAll(async () => {
  await bridge[Symbol.asyncDispose]()
  await engine.close()
})

/** What a proxy makes of the header of a client. */
type Rewrite = (authorization: string | undefined) => string | undefined

/** @param rewrite undefined for one that lets nobody through */
function startProxy(rewrite: Rewrite | undefined) {
  const target = new URL(engine.httpUrl)
  return startHttpServer((incoming, reply) => {
    if (rewrite === undefined) return reply.writeHead(401).end('who are you?')
    const { authorization, ...headers } = incoming.headers
    const written = rewrite(authorization)
    const all = {
      ...headers,
      host: `localhost:${target.port}`,
      ...(written === undefined ? {} : { authorization: written }),
    }
    const options = {
      host: target.hostname,
      port: target.port,
      path: incoming.url,
      method: incoming.method,
      headers: all,
    }
    return incoming.pipe(
      request(options, (answer) => {
        reply.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(reply)
      }),
    )
  })
}

describe('doctor, of what is in front of the bridge', () => {
  it.each<[string, Rewrite | undefined, string, RegExp]>([
    ['hands it on', (sent) => sent, 'ok', /^a token arrives through .* as it was sent$/],
    [
      'drops it',
      () => undefined,
      'problem',
      /does not arrive through .*: clients with a token hear that they have none/,
    ],
    ['writes its own', () => 'Bearer proxy', 'problem', /writes an Authorization of its own/],
    ['writes one that is good', () => `Bearer ${secret}`, 'problem', /^whoever reaches .* is let in without a token/],
    ['asks by itself', undefined, 'problem', /something else than the bridge answers \(HTTP 401\), and lets no token/],
  ])('a proxy that %s', async (_, rewrite, verdict, summary) => {
    await using proxy = await startProxy(rewrite)
    const { of, text } = await runDoctor(engine.url, ['--address', `${proxy.url}/mcp`])
    expect(of('authorization')).toMatchObject({ verdict, summary: expect.stringMatching(summary) })
    expect(text).not.toContain(secret)
  })

  it('needs an address, one that answers, and a bridge that asks', async () => {
    expect((await runDoctor(engine.url)).of('authorization')).toMatchObject({
      verdict: 'skipped',
      summary: expect.stringContaining('--address'),
    })
    const nobody = await runDoctor(engine.url, ['--address', 'http://127.0.0.1:9/mcp'])
    expect(nobody.of('authorization')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(/^nothing answers at http:\/\/127\.0\.0\.1:9\/mcp \(/),
    })
    bridge.set({ auth: AuthBlock.parse({ mode: 'off' }) })
    expect((await runDoctor(engine.url)).of('authorization').verdict).toBe('skipped')
    bridge.set({ auth })
  })
})
