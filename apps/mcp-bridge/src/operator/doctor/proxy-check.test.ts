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

/** What a proxy makes of the header of a client: one, several, or none. */
type Rewrite = (authorization: string | undefined) => string | readonly string[] | undefined

/** A header of each that is there, in this order. */
const both = (...headers: readonly (string | undefined)[]) => headers.filter((header) => header !== undefined)
const DOUBLED = /^a good token is refused through .*: the header Authorization is doubled or changed on the way/

/** What a proxy does not take, as it seems to it. */
const REFUSED = 'refuse'

/** @param rewrite undefined for one that lets nobody through */
function startProxy(rewrite: Rewrite | undefined) {
  const target = new URL(engine.httpUrl)
  return startHttpServer((incoming, reply) => {
    if (rewrite === undefined) return reply.writeHead(401).end('who are you?')
    const { authorization, ...headers } = incoming.headers
    const written = rewrite(authorization)
    if (written === REFUSED) return reply.writeHead(400).end('two of them')
    const options = {
      host: target.hostname,
      port: target.port,
      path: incoming.url,
      method: incoming.method,
      headers: { ...headers, host: `localhost:${target.port}` },
    }
    const outgoing = request(options, (answer) => {
      reply.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(reply)
    })
    if (written !== undefined) outgoing.setHeader('authorization', written)
    return incoming.pipe(outgoing)
  })
}

describe('doctor, of what is in front of the bridge', () => {
  it.each<[string, Rewrite | undefined, string, RegExp]>([
    [
      'hands it on',
      (sent) => sent,
      'ok',
      /^the header Authorization arrives through .*; with a good token in III_MCP_/,
    ],
    [
      'drops it',
      () => undefined,
      'problem',
      /does not arrive through .*: clients with a token hear that they have none/,
    ],
    ['writes its own', () => 'Bearer proxy', 'problem', /writes an Authorization of its own/],
    ['writes one that is good', () => `Bearer ${secret}`, 'problem', /^whoever reaches .* is let in without a token/],
    ['adds its own behind it', (sent) => both(sent, 'Bearer proxy'), 'problem', /writes an Authorization of its own/],
    [
      'adds its own before it',
      (sent) => both('Bearer proxy', sent),
      'problem',
      /own, beside that of clients or in its/,
    ],
    ['adds a good one behind it', (sent) => both(sent, `Bearer ${secret}`), 'problem', /^whoever reaches .* is let in/],
    ['adds a good one before it', (sent) => both(`Bearer ${secret}`, sent), 'problem', /^whoever reaches .* is let in/],
    [
      'adds a good one to that of a client',
      (sent) => sent && [sent, `Bearer ${secret}`],
      'problem',
      /^whoever sends any token to .* is let in: what is in front sends one of its own behind it or in its place$/,
    ],
    ['asks by itself', undefined, 'problem', /something else than the bridge answers \(HTTP 401\), and lets no token/],
  ])('a proxy that %s', async (_, rewrite, verdict, summary) => {
    await using proxy = await startProxy(rewrite)
    const { of, text } = await runDoctor(engine.url, ['--address', `${proxy.url}/mcp`])
    expect(of('authorization')).toMatchObject({ verdict, summary: expect.stringMatching(summary) })
    expect(text).not.toContain(secret)
  })

  // To a wrong token all of these do nothing that can be seen.
  it.each<[string, Rewrite, string, RegExp]>([
    ['hands it on', (sent) => sent, 'ok', /^a token arrives through .* as it was sent$/],
    ['sends it twice', (sent) => sent && [sent, sent], 'ok', /^a token arrives through .* as it was sent$/],
    ['adds its own before that of a client', (sent) => sent && ['Bearer proxy', sent], 'ok', / as it was sent$/],
    ['adds its own behind that of a client', (sent) => sent && [sent, 'Bearer proxy'], 'problem', DOUBLED],
    ['joins it to itself', (sent) => sent && `${sent}, ${sent}`, 'problem', DOUBLED],
    ['cuts it', (sent) => sent?.slice(0, 40), 'problem', DOUBLED],
  ])('with a good token, a proxy that %s', async (_, rewrite, verdict, summary) => {
    await using proxy = await startProxy(rewrite)
    const { of, text } = await runDoctor(engine.url, ['--address', `${proxy.url}/mcp`], { token: secret })
    expect(of('authorization')).toMatchObject({ verdict, summary: expect.stringMatching(summary) })
    if (verdict === 'problem') expect(of('authorization').advice).toEqual([expect.stringContaining('never append')])
    expect(text).not.toContain(secret)
  })

  it('a proxy that takes no request with two headers, behind one that doubles them', async () => {
    await using proxy = await startProxy((sent) => sent && REFUSED)
    const { of } = await runDoctor(engine.url, ['--address', `${proxy.url}/mcp`], { token: secret })
    expect(of('authorization')).toMatchObject({
      verdict: 'problem',
      summary: expect.stringMatching(/\(HTTP 400\), where a request has a token; without one the bridge does$/),
      advice: [expect.stringContaining('has doubled it')],
    })
  })

  it('a token that is no good says so', async () => {
    await using proxy = await startProxy((sent) => sent)
    const { of } = await runDoctor(engine.url, ['--address', `${proxy.url}/mcp`], { token: createToken() })
    expect(of('authorization')).toMatchObject({
      verdict: 'warning',
      summary: expect.stringMatching(/^the token in III_MCP_TOKEN is none of the bridge/),
    })
  })

  it('shows no user, password or query of an address, and sends them to nobody', async () => {
    const refused = await runDoctor(engine.url, ['--address', 'http://ada:hunter2@127.0.0.1:9/mcp'])
    expect(refused.of('authorization')).toMatchObject({
      verdict: 'skipped',
      summary: expect.stringContaining('has a user or a password'),
    })
    const nobody = await runDoctor(engine.url, ['--address', 'http://127.0.0.1:9/mcp?key=hunter2'])
    expect(nobody.of('authorization').summary).toMatch(/^nothing answers at http:\/\/127\.0\.0\.1:9\/mcp \(/)
    expect(refused.text + nobody.text).not.toContain('hunter2')
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
    await using open = await startProxy((sent) => sent)
    await using asking = await startProxy(undefined)
    for (const [address, verdict, summary] of [
      [open.url, 'ok', /^the bridge answers at .*, and nobody is asked for a token$/],
      [asking.url, 'ok', /^what is in front of .* asks for a token \(HTTP 401\)/],
      ['http://127.0.0.1:9', 'problem', /^nothing answers at http:\/\/127\.0\.0\.1:9\/mcp \(/],
    ] as const) {
      const { of } = await runDoctor(engine.url, ['--address', `${address}/mcp`])
      expect(of('authorization')).toMatchObject({ verdict, summary: expect.stringMatching(summary) })
    }
    bridge.set({ auth })
  })
})
