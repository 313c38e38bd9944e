import { startHttpServer } from './http-server.ts'
import { createJwtIssuer, JWKS_URL, type JwtIssuer } from './jwt-issuer.ts'

/** The same issuer on a port. */
export interface IssuerServer extends AsyncDisposable {
  readonly issuer: string
  readonly jwks: string
  readonly idp: JwtIssuer
  /** How often its keys were asked for. */
  readonly fetches: number
  /** Whether it answers with its keys. */
  isUp: boolean
}

export async function startIssuerServer(): Promise<IssuerServer> {
  const state = { fetches: 0, isUp: true }
  const server = await startHttpServer((request, response) => {
    if (request.url !== '/keys') return response.writeHead(404).end()
    state.fetches++
    if (!state.isUp) return response.writeHead(503).end()
    return response.end(JSON.stringify(idp.documents.get(JWKS_URL)))
  })
  const issuer = server.url
  const idp = createJwtIssuer(issuer)
  await idp.publish('first')
  return {
    ...{ issuer, jwks: `${issuer}/keys`, idp },
    get fetches() {
      return state.fetches
    },
    get isUp() {
      return state.isUp
    },
    set isUp(isUp) {
      state.isUp = isUp
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
