import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { followLogin } from './browser.ts'

/**
 * An authorization server on a port: `oidc-provider`, whose users are logged in as soon as they come and agree to everything. Clients register
 * by themselves, name a document of their own, or are `machine`, with a secret and without a user.
 */
export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string
  /** Paths that were asked for, in order. */
  readonly requests: readonly string[]
  /** A token without a user, by the client `machine`. @throws when it is refused */
  getMachineToken(resource: string, scope: string): Promise<string>
  /** What tells a client who has logged in, and nobody else. */
  getIdToken(): Promise<string>
}

export interface AuthorizationServerOptions {
  /** How long an access token is good, in seconds. @default 3600 */
  readonly tokenSeconds?: number
  /** What clients may ask for at a resource. @default 'mcp orders:read' */
  readonly scope?: string
  /** The user who comes. @default 'ada' */
  readonly user?: string
  /** What access tokens say beside what they have to. @default { groups: ['platform'] } */
  readonly claims?: Readonly<Record<string, unknown>>
}

const DEFAULT_SCOPE = 'mcp orders:read'
const SIGNED_WITH = 'RS256'
const CALLBACK = 'http://127.0.0.1:1/callback'
const DESK = { client_id: 'desk', client_secret: randomUUID() }
const MACHINE = { client_id: 'machine', client_secret: randomUUID() }

export async function startAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const requests: string[] = []
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? '/', 'http://localhost').pathname)
    answer(request, response)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  answer = serveProvider(new Provider(issuer, await configure(options)), options)

  return {
    issuer,
    requests,
    async getMachineToken(resource, scope) {
      return getToken(issuer, 'access_token', { grant_type: 'client_credentials', resource, scope, ...MACHINE })
    },
    async getIdToken() {
      const verifier = randomUUID() + randomUUID()
      const start = new URL(`${issuer}/auth`)
      start.search = String(
        new URLSearchParams({
          ...{ client_id: DESK.client_id, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' },
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }),
      )
      const code = (await followLogin(start, CALLBACK)).searchParams.get('code') ?? ''
      const proof = { code, code_verifier: verifier, redirect_uri: CALLBACK }
      return getToken(issuer, 'id_token', { grant_type: 'authorization_code', ...proof, ...DESK })
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** @throws when it is refused */
async function getToken(issuer: string, kind: string, form: Record<string, string>): Promise<string> {
  const response = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(form) })
  const granted = (await response.json()) as Record<string, unknown>
  const token = granted[kind]
  if (typeof token !== 'string') throw new Error(`No ${kind}: ${JSON.stringify(granted)}`)
  return token
}

async function configure({
  tokenSeconds = 3600,
  scope = DEFAULT_SCOPE,
  claims = { groups: ['platform'] },
}: AuthorizationServerOptions) {
  const { privateKey } = await generateKeyPair(SIGNED_WITH, { extractable: true })
  return {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: SIGNED_WITH, use: 'sig', kid: 'first' }] },
    cookies: { keys: [randomUUID()] },
    clients: [
      { ...MACHINE, ...WITHOUT_USER },
      { ...DESK, redirect_uris: [CALLBACK] },
    ],
    scopes: [...scope.split(' '), 'offline_access'],
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: () => claims,
    ttl: { AccessToken: tokenSeconds, ClientCredentials: tokenSeconds, ...LONG_ENOUGH },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          ...{ scope, audience: resource, accessTokenTTL: tokenSeconds },
          ...{ accessTokenFormat: 'jwt', jwt: { sign: { alg: SIGNED_WITH } } },
        }),
      },
    },
  }
}

const WITHOUT_USER = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
const LONG_ENOUGH = { Grant: 3600, RefreshToken: 3600, IdToken: 3600, Interaction: 3600, Session: 3600 }

/** The provider, and in place of its pages a user who agrees. */
function serveProvider(provider: Provider, { user = 'ada', scope = DEFAULT_SCOPE }: AuthorizationServerOptions) {
  const serve = provider.callback()

  async function agree(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response)
    if (prompt.name === 'login') {
      return provider.interactionFinished(request, response, { login: { accountId: user } })
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? user, clientId: String(params['client_id']) })
    grant.addOIDCScope(`openid offline_access ${scope}`)
    if (typeof params['resource'] === 'string') grant.addResourceScope(params['resource'], scope)
    const consent = { grantId: grantId ?? (await grant.save()) }
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.url?.startsWith('/interaction/')) {
      agree(request, response).catch((error: Error) => response.writeHead(500).end(error.message))
    } else {
      request.url = withScope(request.url ?? '/', scope)
      serve(request, response)
    }
  }
}

/** Whoever asks for no scope gets what there is (RFC 6749, 3.3); the provider would refuse. */
function withScope(path: string, scope: string): string {
  const url = new URL(path, 'http://localhost')
  if (url.pathname !== '/auth' || url.searchParams.has('scope')) return path
  url.searchParams.set('scope', scope)
  return `${url.pathname}${url.search}`
}
