import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startCable } from '../cable.ts'
import type { Child } from '../child.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { useEmptyStack } from '../empty-stack.ts'
import type { RawReply } from '../http-request.ts'
import { type IssuerServer, startIssuerServer } from '../issuer-server.ts'
import { toIssuerRow, toRightClaims, toTokenPart } from '../issuer-tokens.ts'
import { scenario } from '../scenario.ts'
import { askAs, createTokenCaller } from '../token-callers.ts'
import { until } from '../until.ts'

let called = 0
const shared = useEmptyStack((worker) => worker.registerFunction('e2e-keys::count', () => ({ called: ++called })))
const ci = createTokenCaller({ name: 'ci', grant: 'all' })

/** A bridge that takes the tokens of these, and knows no key yet. */
async function startTrusting(...servers: readonly Pick<IssuerServer, 'issuer' | 'jwks'>[]): Promise<Child> {
  const { mcpUrl, engineUrl } = shared.stack
  const issuers = servers.map((server) => toIssuerRow(server, mcpUrl))
  const auth = { resource: mcpUrl, tokens: [ci.row], issuers, grants: { all: {} } }
  const bridge = await startConfiguredBridge(engineUrl, join(shared.folder, `${randomUUID()}.yaml`), { auth })
  await until(async () => isServed(await call(ci.token)), { what: 'the tool to be called' })
  return bridge
}

const call = (token: string) =>
  askAs(token, shared.stack.mcpUrl, 'tools/call', { name: 'e2e-keys__count', arguments: {} })
const isServed = ({ status, body }: RawReply) =>
  status === 200 && JSON.parse(body).result?.structuredContent?.called === called

/** A new token each time: none that was let in before. */
const sign = (server: IssuerServer, kid = 'first') =>
  server.idp.sign(toRightClaims(server, shared.stack.mcpUrl, { jti: randomUUID() }), { kid })

const callWith = async (server: IssuerServer, kid?: string) => call(await sign(server, kid))

scenario(
  ['issuers/keys'],
  'a token of a new key is let in as soon as the key is published, at one look, and those of the old one go on',
  async () => {
    await using server = await startIssuerServer()
    await using _ = await startTrusting(server)
    const old = await sign(server)
    expect([isServed(await call(old)), isServed(await callWith(server)), server.fetches]).toEqual([true, true, 1])
    await server.idp.publish('first', 'second')
    expect([isServed(await callWith(server, 'second')), server.fetches]).toEqual([true, 2])
    expect([isServed(await call(old)), isServed(await callWith(server, 'second'))]).toEqual([true, true])
    expect(server.fetches).toBe(2)
  },
)

scenario(
  ['issuers/keys'],
  'a token loses its right with its key, as soon as the keys are read without it',
  async () => {
    await using server = await startIssuerServer()
    await using _ = await startTrusting(server)
    const old = await sign(server)
    // From the second time on it is one that was verified lately.
    for (const _ of [1, 2, 3]) expect(isServed(await call(old))).toBe(true)
    await server.idp.publish('second')
    expect(isServed(await callWith(server, 'second'))).toBe(true)
    const before = called
    for (const token of [old, await sign(server)]) expect((await call(token)).status).toBe(401)
    expect(called).toBe(before)
  },
)

const STRANGE = 1_000
const AT_ONCE = 50
/** So often tokens with keys that nobody knows have the keys read again. */
const UNKNOWN_KEY_MS = 30_000

scenario(
  ['issuers/keys'],
  'a thousand tokens with keys of nobody cost their issuer two looks, and a new key half a minute',
  async () => {
    await using server = await startIssuerServer()
    await using _ = await startTrusting(server)
    const known = await sign(server)
    expect(isServed(await call(known))).toBe(true)
    const [, ...rest] = known.split('.')
    const begun = performance.now()
    const statuses = new Set<number>()
    for (let sent = 0; sent < STRANGE; sent += AT_ONCE) {
      const strange = Array.from({ length: AT_ONCE }, () =>
        call([toTokenPart({ alg: 'ES256', kid: randomUUID() }), ...rest].join('.')),
      )
      for (const { status } of await Promise.all(strange)) statuses.add(status)
      expect(isServed(await call(known))).toBe(true)
    }
    const looks = 2 + Math.floor((performance.now() - begun) / UNKNOWN_KEY_MS)
    // Some of them are refused before anybody looks at them.
    expect([...statuses].filter((status) => status !== 429)).toEqual([401])
    expect(server.fetches).toBeGreaterThanOrEqual(2)
    expect(server.fetches).toBeLessThanOrEqual(looks)

    const before = server.fetches
    await server.idp.publish('first', 'second')
    const second = await sign(server, 'second')
    await until(async () => isServed(await call(second)), { what: 'the new key', deadlineMs: 2 * UNKNOWN_KEY_MS })
    expect(server.fetches).toBe(before + 1)
  },
)

const WAIT = { 'retry-after': '5', 'www-authenticate': undefined }
const toDecided = ({ status, headers, body }: RawReply) => ({
  status,
  'retry-after': headers['retry-after'],
  'www-authenticate': headers['www-authenticate'],
  error: JSON.parse(body).error,
})

scenario(
  ['issuers/away'],
  'where the keys of an issuer cannot be read callers are asked to come back, and are let in without a restart once they can be',
  async () => {
    await using failing = await startIssuerServer()
    await using silent = await startIssuerServer()
    await using cable = await startCable(silent.jwks)
    failing.isUp = false
    cable.swallow()
    await using _ = await startTrusting(failing, { ...silent, jwks: cable.url.replace('ws:', 'http:').concat('/keys') })
    const before = called
    const begun = performance.now()
    for (const server of [failing, failing, failing, silent, silent]) {
      const many = await Promise.all(Array.from({ length: 8 }, () => callWith(server)))
      const undecided = { status: 503, ...WAIT, error: expect.objectContaining({ code: -32003 }) }
      expect(many.map(toDecided)).toEqual(many.map(() => undecided))
      // Whoever asks does not have them read more often than every five seconds.
      expect(failing.fetches).toBeLessThanOrEqual(1 + Math.floor((performance.now() - begun) / 5_000))
    }
    expect(called).toBe(before)
    expect(isServed(await call(ci.token))).toBe(true)
    // What needs no key is decided all the same.
    expect((await call('a.b.c')).status).toBe(401)

    failing.isUp = true
    cable.pass()
    for (const server of [failing, silent]) {
      await until(async () => isServed(await callWith(server)), { what: 'the keys to be read' })
    }
  },
)

scenario(
  ['issuers/away'],
  'while an issuer is away its known keys serve on, for tokens that were never seen too',
  async () => {
    await using failing = await startIssuerServer()
    await using silent = await startIssuerServer()
    await using cable = await startCable(silent.jwks)
    await using _ = await startTrusting(failing, { ...silent, jwks: cable.url.replace('ws:', 'http:').concat('/keys') })
    for (const server of [failing, silent]) expect(isServed(await callWith(server))).toBe(true)
    failing.isUp = false
    cable.swallow()
    const before = failing.fetches
    // A key that is not known has them looked for, in vain.
    for (const server of [failing, silent]) {
      const unknown = callWith(server, 'third')
      expect(isServed(await callWith(server))).toBe(true)
      // It may be a new one that nobody could read yet.
      expect(toDecided(await unknown)).toMatchObject({ status: 503, ...WAIT })
      expect(isServed(await callWith(server))).toBe(true)
    }
    expect(failing.fetches).toBe(before + 1)
  },
)
