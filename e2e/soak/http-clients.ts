import { Agent, type IncomingMessage, request } from 'node:http'
import type { SentMessage } from '../raw-client.ts'
import { toStateless } from '../stateless.ts'

/** A client of one era over one transport. */
export interface SoakClient extends AsyncDisposable {
  readonly name: string
  /** The process that it is a client of, where that is its own. */
  readonly member?: string
  /** The last message of a reply. @throws where there is none */
  ask(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    onMessage?: (message: SentMessage) => void,
  ): Promise<SentMessage>
}

type Headers = Readonly<Record<string, string>>

/** What both eras say of the client: tools may run as tasks for it. */
export const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
export const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: CAPABILITIES,
  clientInfo: { name: 'soak', version: '1' },
}
const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const MAX_SOCKETS = 64

/** Of 2025-11-25: opens a session, and another one when it is told that there is none. */
export function createSessionClient(url: string): SoakClient {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  let identity: Promise<Headers> | undefined
  const open = async (): Promise<Headers> => {
    const { status, headers } = await post(agent, url, {}, 'initialize', INITIALIZE)
    const id = headers['mcp-session-id']
    if (typeof id !== 'string') throw new Error(`no session: HTTP ${status}`)
    return { 'mcp-session-id': id, 'mcp-protocol-version': INITIALIZE.protocolVersion }
  }
  return {
    name: 'HTTP in a session',
    async ask(method, params = {}, onMessage) {
      identity ??= open()
      const opened = identity
      const forget = () => {
        if (identity === opened) identity = undefined
      }
      const headers = await opened.catch((error: unknown) => {
        forget()
        throw error
      })
      const { status, last } = await post(agent, url, headers, method, params, onMessage)
      if (status === 404 || status === 400) forget()
      return requireMessage(status, last)
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
    },
  }
}

/** Of 2026-07-28: says all about itself each time. */
export function createStatelessClient(url: string): SoakClient {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS })
  return {
    name: 'HTTP on 2026-07-28',
    async ask(method, params = {}, onMessage) {
      const sent = toStateless(method, params, CAPABILITIES)
      const { status, last } = await post(agent, url, sent.headers, method, sent.params, onMessage)
      return requireMessage(status, last)
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
    },
  }
}

interface Posted {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly last: SentMessage | undefined
}

let count = 0

function post(
  agent: Agent,
  url: string,
  headers: Headers,
  method: string,
  params: object,
  onMessage: (message: SentMessage) => void = () => undefined,
): Promise<Posted> {
  const id = ++count
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers: { ...TYPES, ...headers } }, (response) => {
      let last: SentMessage | undefined
      const take = (message: SentMessage) => {
        last = message
        onMessage(message)
      }
      const finish = readMessages(response, take)
      response.on('error', reject)
      response.on('end', () => {
        finish()
        if (last !== undefined && last.id !== id && last.result !== undefined) {
          return reject(new CrossTalk(`the reply to ${String(last.id)} came for ${id}`))
        }
        resolve({ status: response.statusCode ?? 0, headers: response.headers, last })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Somebody got what was meant for another one. */
export class CrossTalk extends Error {}

/** Reads JSON, or a stream of events. @returns to be called at the end */
function readMessages(response: IncomingMessage, take: (message: SentMessage) => void): () => void {
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false
  let text = ''
  response.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    if (!isStream) return
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: ?(.+)$/m.exec(event)?.[1]
      if (data !== undefined) take(JSON.parse(data))
    }
  })
  return () => {
    if (isStream || text === '' || !response.headers['content-type']?.startsWith('application/json')) return
    take(JSON.parse(text))
  }
}

function requireMessage(status: number, message: SentMessage | undefined): SentMessage {
  if (message?.result !== undefined || message?.error !== undefined) return message
  throw new Error(`HTTP ${status} without a reply`)
}
