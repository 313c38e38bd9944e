import { type IncomingMessage, request } from 'node:http'
import { sendHttp } from './http-request.ts'
import { toStateless } from './stateless.ts'

/** MCP as it is on the wire: what official clients hide, or never do. */

/** A JSON-RPC message that a server sent. */
export interface SentMessage {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A reply that is read while it comes: one JSON message, or a stream of them. */
export interface LiveReply extends Disposable {
  /** What came so far. */
  readonly messages: readonly SentMessage[]
  /** Resolves with all of them once it is over, whoever ended it. */
  readonly over: Promise<readonly SentMessage[]>
  /** The HTTP status, as soon as it is known; undefined when there was no reply. */
  readonly status: Promise<number | undefined>
  /** Closes the connection, as a client does that gives up. */
  leave(): void
}

/** Headers that every message of a client carries. */
export type IdentityHeaders = Readonly<Record<string, string>>

const JSON_TYPE = { 'content-type': 'application/json' }
const EITHER = { accept: 'application/json, text/event-stream' }

/** @returns what names the session in each of its messages, and its caller as the given headers do */
export async function openSession(
  url: string,
  capabilities: object = {},
  revision = '2025-06-18',
  caller: IdentityHeaders = {},
): Promise<IdentityHeaders> {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'raw', version: '1' } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
  const { headers } = await sendHttp(url, { method: 'POST', headers: { ...JSON_TYPE, ...EITHER, ...caller }, body })
  return { ...caller, 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': revision }
}

/** A request; the reply is read while the caller goes on. */
export function postRequest(
  url: string,
  headers: IdentityHeaders,
  method: string,
  params: object = {},
  id = 1,
): LiveReply {
  const message = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  return read(url, 'POST', { ...JSON_TYPE, ...EITHER, ...headers }, message)
}

/** Something that wants no reply: a notification, or an answer. @returns the status */
export async function postMessage(url: string, identity: IdentityHeaders, message: object): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return (await sendHttp(url, { method: 'POST', headers: { ...JSON_TYPE, ...EITHER, ...identity }, body })).status
}

/** The stream of a session for what no request is about. */
export function openSessionStream(url: string, identity: IdentityHeaders): LiveReply {
  return read(url, 'GET', { accept: 'text/event-stream', ...identity })
}

/** A request of 2026-07-28, which says all about its client itself. */
export function postStateless(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  capabilities: object = {},
  caller: IdentityHeaders = {},
): LiveReply {
  const sent = toStateless(method, params, capabilities)
  return postRequest(url, { ...sent.headers, ...caller }, method, sent.params)
}

function read(url: string, method: string, headers: IdentityHeaders, body?: string): LiveReply {
  const messages: SentMessage[] = []
  const outgoing = request(url, { method, headers, agent: false })
  const status = new Promise<number | undefined>((resolve) => {
    outgoing.on('response', ({ statusCode }) => resolve(statusCode))
    outgoing.on('close', () => resolve(undefined))
  })
  const over = new Promise<readonly SentMessage[]>((resolve) => {
    outgoing.on('error', () => resolve(messages))
    outgoing.on('response', (response) => {
      collect(response, (message) => messages.push(message))
      response.on('close', () => resolve(messages))
    })
  })
  outgoing.end(body)
  const leave = () => void outgoing.destroy()
  return { messages, over, status, leave, [Symbol.dispose]: leave }
}

function collect(response: IncomingMessage, take: (message: SentMessage) => void): void {
  const isStream = response.headers['content-type'] === 'text/event-stream'
  let text = ''
  response.setEncoding('utf8')
  // Whoever left does not want to hear of it.
  response.on('error', () => undefined)
  response.on('data', (piece: string) => {
    text += piece
    if (!isStream) return
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const data of events.flatMap(toData)) take(JSON.parse(data))
  })
  response.on('end', () => {
    if (!isStream && text !== '') take(JSON.parse(text))
  })
}

function toData(event: string): string[] {
  const data = /^data: (.+)$/m.exec(event)?.[1]
  return data === undefined ? [] : [data]
}
