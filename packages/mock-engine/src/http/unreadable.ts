import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { addCors } from './cors.ts'
import type { HttpSettings } from './http-settings.ts'
import { isReadableTarget, toRequestTarget } from './request.ts'
import type { Reply } from './return-value.ts'
import { STATUS } from './statuses.ts'

/** What Node's parser gave up on. */
export interface ParseError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** The first line of a request: a method is a token, whatever it is called. */
const LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([!-~]+) HTTP\/1\.1\r\n/

/**
 * Answers a request that Node's parser gave up on. A method it does not know is no error to the engine: it gets what any
 * method without a route gets.
 */
export function answerUnreadable(
  error: ParseError,
  socket: Duplex,
  route: (method: string, path: string) => Reply,
  settings: HttpSettings,
): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const line = LINE.exec(toUnread(error))
  const target = toRequestTarget(line?.[2] ?? '')
  if (error.code === 'HPE_INVALID_METHOD' && line && isReadableTarget(target)) {
    sendRaw(socket, route(line[1] ?? '', target.path), settings)
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? STATUS.headersTooLarge : STATUS.unreadable
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n${dateLine()}\r\n`,
  )
}

/** From the method on that was not understood: what stands before it was read. */
function toUnread({ rawPacket, bytesParsed = 0 }: ParseError): string {
  const text = rawPacket?.toString('latin1') ?? ''
  let start = bytesParsed
  while (OF_TOKEN.test(text.charAt(start - 1))) start -= 1
  return text.slice(start)
}

const OF_TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/

/** Sends a reply where Node has no response object to offer. */
export function sendRaw(socket: Duplex, reply: Reply, settings: HttpSettings): void {
  addCors(reply.headers, settings.cors, undefined)
  socket.end(formatReply(reply))
}

function formatReply({ status, headers, body }: Reply): string {
  const raw = headers.toRaw()
  const lines = raw.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${raw[i + 1]}\r\n`] : []))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}${dateLine()}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function dateLine(): string {
  return `date: ${new Date().toUTCString()}\r\n`
}
