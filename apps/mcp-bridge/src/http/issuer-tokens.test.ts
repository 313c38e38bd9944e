import { createHmac, randomUUID } from 'node:crypto'
import { type MockEngine, startMockEngine } from '@iii/mock-engine'
import { UnsecuredJWT } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AuthBlock } from '../auth/settings/auth-block.ts'
import { createToken, toDigest } from '../auth/token.ts'
import { startBridge, stateless, type TestBridge } from '../testing/bridge.ts'
import { openEvents, postInit } from '../testing/events.ts'
import { type IssuerServer, startIssuerServer } from '../testing/issuer-server.ts'
import { AUDIENCE, toIssuerRow, toRightClaims, toSeconds, toTokenPart } from '../testing/issuer-tokens.ts'
import { untilAnswer } from '../testing/until.ts'

const CI = createToken()
const WHERE = 'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"'
const BAD = `Bearer error="invalid_token", error_description="The token is not valid", ${WHERE}, scope="mcp"`

let engine: MockEngine
let bridge: TestBridge
let server: IssuerServer

beforeAll(async () => {
  engine = await startMockEngine()
  bridge = await startBridge(engine)
})
afterAll(async () => {
  await bridge[Symbol.asyncDispose]()
  await engine.close()
})
beforeEach(async () => {
  server = await startIssuerServer()
  bridge.set({ auth: toAuth({}) })
})
afterEach(() => server[Symbol.asyncDispose]())

function toAuth(changes: object) {
  const tokens = [{ name: 'ci', hash: [toDigest(CI)], grant: 'all' }]
  const issuers = [toIssuerRow(server, AUDIENCE, { require: ['mcp'], ...changes })]
  return AuthBlock.parse({ resource: AUDIENCE, tokens, issuers, grants: { all: {}, audit: { tiers: ['audit'] } } })
}

const toClaims = (changes: object = {}) => toRightClaims(server, AUDIENCE, changes)
const sign = (changes: object = {}, header: object = {}) => server.idp.sign(toClaims(changes), header)
const ping = (token: string) => bridge.rpc('ping', {}, { authorization: `Bearer ${token}` })

describe('a token of an issuer', () => {
  it('is let in, as one of the file is beside it', async () => {
    const token = await sign()
    expect((await ping(token)).status).toBe(200)
    expect((await ping(token)).status).toBe(200)
    expect((await ping(CI)).status).toBe(200)
    expect(server.fetches).toBe(1)
  })

  it('has beside it one of the file that looks like it, as what another program has made may', async () => {
    const made = [1, 2, 3].map(() => randomUUID()).join('.')
    const token = { name: 'made', hash: [toDigest(made)], grant: 'all' }
    const auth = toAuth({})
    const { tokens } = auth
    bridge.set({ auth: { ...auth, tokens: [...tokens, token] } })
    expect([(await ping(made)).status, (await ping(await sign())).status]).toEqual([200, 200])
    bridge.set({ auth: { ...auth, tokens: [...tokens, { ...token, expires: '2020-01-01' }] } })
    expect([(await ping(made)).status, (await ping(`${made}x`)).status]).toEqual([401, 401])
  })

  it('has the grants that its claims fit, and sees nothing where none does', async () => {
    bridge.other.registerFunction('orders::audit', () => ({}), { metadata: { 'mcp.tier': 'audit' } })
    bridge.other.registerFunction('orders::create', () => ({}))
    const list = async (token: string) =>
      (await bridge.rpc('tools/list', {}, { authorization: `Bearer ${token}` })).text
    await untilAnswer(
      () => list(CI),
      (text) => text.includes('orders__create') && text.includes('orders__audit'),
    )
    bridge.set({ auth: toAuth({ grants: [{ when: { claim: 'groups', has: 'auditors' }, grant: 'audit' }] }) })
    const text = await list(await sign({ groups: ['auditors', 'people'] }))
    expect([text.includes('orders__audit'), text.includes('orders__create')]).toEqual([true, false])
    expect(await list(await sign({ groups: ['people'] }))).not.toContain('orders__')
  })

  it('within the tolerance, or for several of whom we are one, is let in', async () => {
    for (const changes of [{ exp: toSeconds() - 27 }, { aud: ['https://other.example.com', AUDIENCE] }]) {
      expect((await ping(await sign(changes))).status).toBe(200)
    }
  })

  it('that is none is refused in the same words, whatever is wrong with it', async () => {
    const keys = JSON.stringify(await server.idp.toJwk('first'))
    const hmac = `${toTokenPart({ alg: 'HS256', kid: 'first' })}.${toTokenPart(toClaims())}`
    const [, body, signature] = (await sign()).split('.')
    const bad = [
      await sign({ exp: toSeconds() - 33 }),
      await sign({ nbf: toSeconds() + 90 }),
      await sign({ exp: undefined }),
      await sign({ aud: 'https://other.example.com/mcp' }),
      await sign({ iss: 'https://evil.example.com' }),
      await sign({ iss: `${server.issuer}/` }),
      await sign({ aud: 'client-1', nonce: 'n', at_hash: 'h' }),
      await sign({}, { kid: 'nobody' }),
      `${hmac}.${createHmac('sha256', keys).update(hmac).digest('base64url')}`,
      new UnsecuredJWT(toClaims()).encode(),
      `${toTokenPart({ alg: 'ES256', kid: 'first', crit: ['x'], x: 1 })}.${body}.${signature}`,
      `${toTokenPart({ alg: 'ES256', kid: 'first' })}.${toTokenPart(toClaims({ sub: 'root' }))}.${signature}`,
      createToken(),
      'a.b.c',
    ]
    const replies = await Promise.all(bad.map(ping))
    const shown = replies.map(({ status, text, headers }) =>
      JSON.stringify([status, text, headers.get('www-authenticate')]),
    )
    expect([...new Set(shown)].map((text) => JSON.parse(text))).toEqual([[401, expect.stringContaining('-32004'), BAD]])
  })

  it('that lacks a required scope is told which', async () => {
    const { status, headers, text } = await ping(await sign({ scope: 'other' }))
    expect([status, headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer error="insufficient_scope", error_description="The token lacks a scope that this server requires", ${WHERE}, scope="mcp"`,
    ])
    expect(text).not.toContain('other')
  })

  it('of which nothing can be said is not refused for good', async () => {
    server.isUp = false
    const token = await sign()
    const reply = await ping(token)
    expect([reply.status, reply.headers.get('retry-after'), reply.headers.get('www-authenticate')]).toEqual([
      503,
      '5',
      null,
    ])
    expect(reply.message).toMatchObject({ error: { code: -32003, data: { retry_after_seconds: 5 } } })
    expect((await ping(CI)).status).toBe(200)
  })

  it('of a known key counts while its issuer is away, and one of a new key as soon as it is published', async () => {
    await ping(await sign())
    server.isUp = false
    expect((await ping(await sign({ sub: 'bob' }))).status).toBe(200)
    server.isUp = true
    await server.idp.publish('first', 'second')
    expect((await ping(await sign({}, { kid: 'second' }))).status).toBe(200)
  })

  it('with a key that nobody knows costs its issuer nothing, however many there are', async () => {
    const tokens = await Promise.all(Array.from({ length: 1_000 }, () => sign({}, { kid: 'first' })))
    const strange = tokens.map((token) => {
      const [, ...rest] = token.split('.')
      return [toTokenPart({ alg: 'ES256', kid: randomUUID() }), ...rest].join('.')
    })
    const statuses = new Set<number>()
    for (let at = 0; at < strange.length; at += 100) {
      for (const { status } of await Promise.all(strange.slice(at, at + 100).map(ping))) statuses.add(status)
    }
    expect([...statuses].filter((status) => status !== 401 && status !== 429)).toEqual([])
    expect(server.fetches).toBeLessThanOrEqual(2)
  })

  it('ends the streams that it has opened with itself', async () => {
    bridge.set({ auth: toAuth({ clock_tolerance_s: 0 }) })
    const exp = toSeconds() + 2
    const authorization = `Bearer ${await sign({ exp })}`
    const { meta, headers } = stateless('subscriptions/listen')
    const params = { notifications: { toolsListChanged: true }, _meta: meta }
    const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
    const events = await openEvents(bridge.url, postInit(message, { ...headers, authorization }))
    await events.nextMessage()
    await events.rest()
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000)
    expect(Date.now()).toBeLessThan(exp * 1000 + 1_500)
  })

  it('ends with its issuer in the file', async () => {
    const token = await sign()
    expect((await ping(token)).status).toBe(200)
    bridge.set({ auth: toAuth({ issuer: 'https://other.example.com' }) })
    expect((await ping(token)).status).toBe(401)
  })
})

describe('the metadata of the server', () => {
  const get = (path: string, method = 'GET') => fetch(engine.httpUrl + path, { method })
  const path = '/.well-known/oauth-protected-resource/mcp'

  it('is where the challenge says, for whoever asks', async () => {
    const refused = await bridge.rpc('ping')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, `Bearer ${WHERE}, scope="mcp"`])
    const reply = await untilAnswer(
      () => get(path),
      ({ status }) => status === 200,
    )
    expect([reply.headers.get('content-type'), reply.headers.get('cache-control')]).toEqual([
      'application/json',
      'max-age=300',
    ])
    expect(await reply.json()).toEqual({
      resource: AUDIENCE,
      authorization_servers: [server.issuer],
      scopes_supported: ['mcp'],
      bearer_methods_supported: ['header'],
      resource_name: 'iii engine',
    })
    for (const method of ['POST', 'DELETE', 'PUT']) expect((await get(path, method)).status).toBeGreaterThanOrEqual(404)
    expect((await get('/.well-known/oauth-protected-resource')).status).toBe(404)
  })

  it('follows the settings, and is nowhere without an issuer', async () => {
    bridge.set({ auth: AuthBlock.parse({ ...toAuth({}), resource: 'https://mcp.example.com' }) })
    const root = '/.well-known/oauth-protected-resource'
    const reply = await untilAnswer(
      () => get(root),
      ({ status }) => status === 200,
    )
    expect(await reply.json()).toMatchObject({ resource: 'https://mcp.example.com' })
    for (const auth of [AuthBlock.parse({ mode: 'off' }), undefined]) {
      bridge.set({ auth })
      await untilAnswer(
        () => Promise.all([get(root), get(path)]),
        (replies) => replies.every(({ status }) => status === 404),
      )
    }
  })
})
