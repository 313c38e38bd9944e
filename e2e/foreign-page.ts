import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'

/** A page of another origin in a browser, what it can read of an endpoint, and what may stand between the two. */

export interface LocalServer extends AsyncDisposable {
  readonly port: number
}

async function listen(listener: RequestListener): Promise<LocalServer> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}

/** A server with an empty page. */
export function startEmptyPage(): Promise<LocalServer> {
  return listen((_, reply) => void reply.setHeader('content-type', 'text/html').end('<!doctype html>'))
}

/** What a proxy says to whoever asks with OPTIONS. */
export interface OptionsAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface PageProxy extends AsyncDisposable {
  readonly url: string
  /** The methods of the requests that came, in their order. */
  readonly methods: readonly string[]
}

/** A proxy that answers OPTIONS by itself, and hands on all else as it came. */
export async function startPageProxy(target: string, options: OptionsAnswer): Promise<PageProxy> {
  const methods: string[] = []
  const { hostname, port } = new URL(target)
  const proxy = await listen((incoming, reply) => {
    const { method = '', url, headers } = incoming
    methods.push(method)
    if (method === 'OPTIONS') return void reply.writeHead(options.status, options.headers).end()
    const outgoing = request({ hostname, port, path: url, method, headers, agent: false }, (answer) => {
      reply.writeHead(answer.statusCode ?? 0, answer.headers)
      reply.flushHeaders()
      answer.pipe(reply)
    })
    // A page that has heard enough ends its request, and with it this one.
    reply.on('close', () => outgoing.destroy())
    outgoing.on('error', () => reply.destroy())
    incoming.pipe(outgoing)
  })
  return { ...proxy, methods, url: `http://127.0.0.1:${proxy.port}` }
}

export interface ForeignRequest {
  readonly url: string
  readonly method?: 'POST' | 'GET' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly message?: object
}

/** What a page can read of a reply. */
export interface ForeignReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const PLAIN = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Asks from within a page, as a script of it does. Of a stream it reads the head alone. @throws what the script is told where the browser refuses */
export function askFromPage(
  page: Page,
  { url, method = 'POST', headers, message }: ForeignRequest,
): Promise<ForeignReply> {
  const body = message && JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
  const asked = { url, method, headers: { ...PLAIN, ...headers }, ...(body && { body }) }
  return page.evaluate(async ({ url: address, ...init }) => {
    const reply = await fetch(address, init)
    const isStream = init.method === 'GET' && reply.headers.get('content-type') === 'text/event-stream'
    if (isStream) await reply.body?.cancel()
    return {
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      body: isStream ? '' : await reply.text(),
    }
  }, asked)
}
