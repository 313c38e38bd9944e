import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
  const server = createServer((request, response) => {
    if (request.url !== '/keys') return response.writeHead(404).end()
    state.fetches++
    if (!state.isUp) return response.writeHead(503).end()
    return response.end(JSON.stringify(idp.documents.get(JWKS_URL)))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
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
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
