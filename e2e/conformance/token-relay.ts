import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the suite speaks to in the place of a server that asks for tokens: all is passed on as it is, with a token. */
export interface TokenRelay extends AsyncDisposable {
  readonly mcpUrl: string
  /** How many tokens it has used. */
  readonly tokens: number
}

const SPARE_MS = 6_000

/** @param getToken a new one; asked for again six seconds before the last one ends, for streams that end with it */
export async function startTokenRelay(mcpUrl: string, getToken: () => Promise<string>): Promise<TokenRelay> {
  const target = new URL(mcpUrl)
  let tokens = 0
  let last: { readonly token: Promise<string>; readonly renewAt: number } | undefined

  async function findToken(): Promise<string> {
    if (last === undefined || Date.now() >= last.renewAt) {
      const token = getToken()
      last = { token, renewAt: Number.POSITIVE_INFINITY }
      tokens++
      const renewAt = toEnd(await token) - SPARE_MS
      last = { token, renewAt }
    }
    return last.token
  }

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = { ...incoming.headers, authorization: `Bearer ${await findToken()}` }
    // The suite tries foreign hosts as well: only our own address becomes that of the server.
    if (headers.host === own) headers.host = target.host
    const outgoing = request(target, { method: incoming.method, headers, agent: false }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      response.flushHeaders()
      reply.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }

  const server = createServer((incoming, response) => void pass(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    mcpUrl: `http://${own}/mcp`,
    get tokens() {
      return tokens
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** When a token ends, in milliseconds. */
function toEnd(token: string): number {
  const [, claims = ''] = token.split('.')
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number }).exp * 1000
}
