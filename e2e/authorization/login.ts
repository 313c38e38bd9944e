import { randomUUID } from 'node:crypto'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { followLogin } from './browser.ts'

/** What a host keeps of a login, and the browser that it opens. */
export interface Login extends OAuthClientProvider {
  /** What the authorization server has sent the browser back with; waits until there is a browser to wait for. */
  finished(): Promise<URLSearchParams>
  /** The token that the client has now. */
  readonly accessToken: string | undefined
}

const CALLBACK = 'http://127.0.0.1:33418/callback'

/** A login as a host has it that knows nothing of the server but its address: its client registers by itself. */
export function createLogin(): Login {
  const state = randomUUID()
  let client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>
  let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>
  let verifier = ''
  let visit: Promise<URL> | undefined

  return {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: 'e2e',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    state: () => state,
    clientInformation: () => client,
    saveClientInformation(information) {
      client = information
    },
    tokens: () => tokens,
    saveTokens(granted) {
      tokens = granted
    },
    redirectToAuthorization(url) {
      visit = followLogin(url, CALLBACK)
    },
    saveCodeVerifier(text) {
      verifier = text
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovered,
    saveDiscoveryState(found) {
      discovered = found
    },
    async finished() {
      if (visit === undefined) throw new Error('Nobody was sent to log in')
      const { searchParams } = await visit
      if (searchParams.get('state') !== state) throw new Error('This is the end of another login')
      return searchParams
    },
    get accessToken() {
      return tokens?.access_token
    },
  }
}
