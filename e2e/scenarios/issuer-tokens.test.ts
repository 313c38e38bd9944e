import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { readMcpSidecar } from '@iii/protocol'
import { afterAll, beforeAll, expect } from 'vitest'
import { callWithLines, toBadLines } from '../authorization-lines.ts'
import { createCleanup } from '../cleanup.ts'
import { startConfiguredBridge } from '../configured-bridge.ts'
import { useEmptyStack } from '../empty-stack.ts'
import { type IssuerServer, startIssuerServer } from '../issuer-server.ts'
import {
  createWillingSigner,
  publishBeside,
  toIssuerRow,
  toRightClaims,
  toSeconds,
  toTokenPart,
} from '../issuer-tokens.ts'
import { scenario } from '../scenario.ts'
import { askAs } from '../token-callers.ts'
import { until } from '../until.ts'

const TOOL = 'e2e-issued__who'
const OTHER = 'https://other.example.com/mcp'

/** Whom the function was called for, one after the other. */
const calledFor: unknown[] = []
const shared = useEmptyStack((worker) => {
  worker.registerFunction('e2e-issued::who', (_, metadata) => {
    const subject = readMcpSidecar(metadata)?.principal?.subject
    calledFor.push(subject)
    return { subject }
  })
})
const cleanup = createCleanup()
const OWN = createWillingSigner('own')
let server: IssuerServer
/** An issuer whose tokens are taken too. */
let neighbour: IssuerServer

beforeAll(async () => {
  const { mcpUrl, engineUrl } = shared.stack
  server = cleanup.use(await startIssuerServer())
  neighbour = cleanup.use(await startIssuerServer())
  await publishBeside(server, OWN)
  const issuers = [server, neighbour].map((each) => toIssuerRow(each, mcpUrl, { require: ['mcp'] }))
  const auth = { resource: mcpUrl, issuers, grants: { all: {} } }
  cleanup.use(await startConfiguredBridge(engineUrl, join(shared.folder, 'mcp.yaml'), { auth }))
  await until(() => isServed(sign()), { what: 'the tool to be called' })
})
afterAll(() => cleanup.run())

const toClaims = (changes: object = {}) => toRightClaims(server, shared.stack.mcpUrl, changes)
const sign = (changes: object = {}, header: object = {}) => OWN.sign(toClaims(changes), header)
const call = (token: string) => askAs(token, shared.stack.mcpUrl, 'tools/call', { name: TOOL, arguments: {} })

async function isServed(token: string): Promise<boolean> {
  const { status, body } = await call(token)
  return status === 200 && JSON.parse(body).result?.structuredContent?.subject === 'ada'
}

/** Some of them do not count any more a moment later, so each try is with a new one. */
const RIGHT: Readonly<Record<string, () => string>> = {
  'with nothing special': () => sign(),
  'that has ended 29 seconds ago': () => sign({ exp: toSeconds() - 29 }),
  'that begins in 25 seconds': () => sign({ nbf: toSeconds() + 25 }),
  'for several, of whom we are one': () => sign({ aud: [OTHER, shared.stack.mcpUrl] }),
  'that says what it is': () => sign({}, { typ: 'at+jwt' }),
  'of nearly eight KiB': () => sign({ groups: 'g'.repeat(5_800) }),
}

/** Each has one thing wrong, and its signature is right where that is not it. */
async function makeWrong(): Promise<Readonly<Record<string, string>>> {
  const stranger = createWillingSigner('own')
  const hmac = (secret: string | Buffer) => {
    const signed = `${toTokenPart({ alg: 'HS256', kid: 'own' })}.${toTokenPart(toClaims())}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }
  const [, claims, signature] = sign().split('.')
  return {
    'that has ended 31 seconds ago': sign({ exp: toSeconds() - 31 }),
    'that begins in 90 seconds': sign({ nbf: toSeconds() + 90 }),
    'that never ends': sign({ exp: undefined }),
    'whose end is a text': sign({ exp: String(toSeconds() + 300) }),
    'for somebody else': sign({ aud: OTHER }),
    'for several others': sign({ aud: [OTHER, `${shared.stack.mcpUrl}/`] }),
    'for nobody': sign({ aud: undefined }),
    'of an issuer that is not named': sign({ iss: 'https://evil.example.com' }),
    'of the issuer with a slash more': sign({ iss: `${server.issuer}/` }),
    'of no issuer': sign({ iss: undefined }),
    'signed with the public key as a secret, in PEM': hmac(OWN.pem),
    'signed with the public key as a secret, in DER': hmac(OWN.der),
    'signed with the public key as a secret, as it is published': hmac(JSON.stringify(OWN.jwk)),
    'that says that nobody signed it': `${toTokenPart({ alg: 'none' })}.${claims}.`,
    'that says so, and has a signature': `${toTokenPart({ alg: 'none', kid: 'own' })}.${claims}.${signature}`,
    'that says so in other letters': `${toTokenPart({ alg: 'nOnE', kid: 'own' })}.${claims}.${signature}`,
    'with a rule that nobody knows': sign({}, { crit: ['x'], x: 1 }),
    'that is an ID token for a client': sign({ aud: 'client-1', nonce: 'n' }),
    'that is an ID token for us': sign({ nonce: 'n', at_hash: 'h' }),
    'of a key that nobody has': sign({}, { kid: 'nobody' }),
    'signed with the key of somebody else': stranger.sign(toClaims()),
    'that brings its key along': stranger.sign(toClaims(), { jwk: stranger.jwk }),
    'signed with the key of another issuer of ours': await neighbour.idp.sign(toClaims()),
    'whose claims were changed': `${toTokenPart({ alg: 'ES256', kid: 'own' })}.${toTokenPart(toClaims({ sub: 'root' }))}.${signature}`,
  }
}

scenario(
  ['issuers/tokens'],
  'a token of an issuer that is right is let in, up to the edges of the tolerance',
  async () => {
    for (const [what, make] of Object.entries(RIGHT)) {
      await until(() => isServed(make()), { what: `a call with a token ${what}` })
    }
    expect(await isServed(await neighbour.idp.sign(toRightClaims(neighbour, shared.stack.mcpUrl)))).toBe(true)
  },
)

scenario(
  ['issuers/tokens'],
  'a token that has one thing wrong reaches nothing, and its sender reads the same whatever it is',
  async () => {
    const before = calledFor.length
    const seen = new Map<string, string[]>()
    for (const [what, token] of Object.entries(await makeWrong())) {
      const { status, headers, body } = await call(token)
      const shown = JSON.stringify([status, { ...headers, date: undefined }, body])
      seen.set(shown, [...(seen.get(shown) ?? []), what])
    }
    expect([...seen.values()]).toHaveLength(1)
    const [[status, headers, body] = []] = [...seen.keys()].map((shown) => JSON.parse(shown))
    const where = `${shared.stack.httpUrl}/.well-known/oauth-protected-resource/mcp`
    expect([status, headers['www-authenticate'], JSON.parse(body).error]).toEqual([
      401,
      `Bearer error="invalid_token", error_description="The token is not valid", resource_metadata="${where}", scope="mcp"`,
      { code: -32004, message: 'Unauthorized: the token is not valid' },
    ])
    expect(await isServed(sign())).toBe(true)
    expect(calledFor.slice(before)).toEqual(['ada'])
  },
)

scenario(
  ['issuers/tokens', 'access/credentials'],
  'whatever is wrong with the header in which a right token of an issuer is, its sender reads the same',
  async () => {
    const before = calledFor.length
    const good = sign()
    const send = (lines: readonly string[]) => callWithLines(shared.stack.mcpUrl, TOOL, lines)
    const wrong = sign({ aud: OTHER })
    const expected = await send([`Bearer ${wrong}`])
    expect([expected.head[0], expected.body]).toEqual([
      expect.stringContaining(' 401 '),
      expect.stringContaining('Unauthorized: the token is not valid'),
    ])
    const long = sign({ groups: 'g'.repeat(6_100) })
    expect(long.length).toBeGreaterThan(8_192)
    for (const [what, lines] of Object.entries(toBadLines({ good, wrong, long }))) {
      expect({ what, ...(await send(lines)) }).toEqual({ what, ...expected })
    }
    expect(calledFor.length).toBe(before)
    expect((await send([`Bearer ${good}`])).body).toContain('"ada"')
  },
)
