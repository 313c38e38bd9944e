import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What the suite speaks to in the place of a server that asks for tokens: all is passed on as it is, with a token. */
export interface TokenRelay extends AsyncDisposable {
  readonly mcpUrl: string
  /** How many tokens it has used. */
  readonly tokens: number
  /** How many requests the server has refused because their token had ended; each was sent again with another one. */
  readonly refused: number
  /** How long the token that it has still counts. */
  readonly leftMs: number
}

export interface TokenRelayOptions {
  /**
   * Does it look when its token ends, and have another one before? Otherwise it has one until a request is refused. In its last seconds,
   * which a stream would not outlive, requests have tokens of their own: what is refused is always a new request.
   *
   * @default true
   */
  readonly looksAhead?: boolean
}

/** No stream of the suite takes longer. */
const SPARE_MS = 6_000

/** @param getToken a new one */
export async function startTokenRelay(
  mcpUrl: string,
  getToken: () => Promise<string>,
  { looksAhead = true }: TokenRelayOptions = {},
): Promise<TokenRelay> {
  const target = new URL(mcpUrl)
  const tokens = createTokens(getToken, looksAhead)
  let refused = 0

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    const headers = { ...incoming.headers }
    // The suite tries foreign hosts as well: only our own address becomes that of the server.
    if (headers.host === own) headers.host = target.host
    const send = async (token: string) => {
      const sent = { ...headers, authorization: `Bearer ${token}` }
      return await sendOn(target, { method: incoming.method, headers: sent, body }, response)
    }
    const token = await tokens.find()
    let reply = await send(token)
    if (reply.statusCode === 401 && !looksAhead) {
      refused++
      reply.resume()
      reply = await send(await tokens.renew(token))
    }
    response.writeHead(reply.statusCode ?? 502, reply.headers)
    response.flushHeaders()
    reply.pipe(response)
  }

  const server = createServer((incoming, response) => void pass(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    mcpUrl: `http://${own}/mcp`,
    get tokens() {
      return tokens.count
    },
    get refused() {
      return refused
    },
    get leftMs() {
      return tokens.leftMs
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function createTokens(getToken: () => Promise<string>, looksAhead: boolean) {
  let count = 0
  let current: Promise<string> | undefined
  let endsAt = 0

  function take(): Promise<string> {
    count++
    return getToken()
  }

  async function takeOver(): Promise<string> {
    const token = await take()
    endsAt = toEnd(token)
    return token
  }

  /** Another one in the place of the one that is known, unless somebody was quicker. */
  async function renew(known: string): Promise<string> {
    const before = current
    if ((await before) === known && current === before) current = takeOver()
    current ??= takeOver()
    return await current
  }

  return {
    get count() {
      return count
    },
    get leftMs() {
      return endsAt - Date.now()
    },
    renew,
    async find(): Promise<string> {
      current ??= takeOver()
      const token = await current
      const leftMs = toEnd(token) - Date.now()
      if (leftMs > SPARE_MS) return token
      if (looksAhead) return await renew(token)
      return leftMs > 0 ? await take() : token
    },
  }
}

interface Sent {
  readonly method: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** @returns the reply, with its head alone */
function sendOn(target: URL, { method, headers, body }: Sent, response: ServerResponse): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(target, { method, headers, agent: false }, resolve)
    outgoing.on('error', (error) => {
      response.destroy()
      reject(error)
    })
    response.on('close', () => outgoing.destroy())
    outgoing.end(body)
  })
}

/** When a token ends, in milliseconds. */
function toEnd(token: string): number {
  const [, claims = ''] = token.split('.')
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number }).exp * 1000
}
