import type { ServerResponse } from 'node:http'
import type { HeaderList } from './header-list.ts'
import type { Reply } from './return-value.ts'
import { isBodiless, phraseOf, STATUS } from './statuses.ts'

/** The one response of a request. What comes after its end, or after the client left, is ignored. */
export interface Responder {
  /** Whether the head was sent or can no longer be. */
  readonly settled: boolean
  /** Whether somebody still listens. */
  readonly open: boolean
  /** Sends a complete response. */
  reply(reply: Reply): void
  /** Sends the head of a streamed response; chunks follow. */
  begin(status: number, headers: HeaderList): void
  /** @param done - told when the chunk left for the client, with `false` when the client is gone. */
  write(chunk: Buffer, done: (delivered: boolean) => void): void
  end(): void
  /** Sends a bare status that no cross-origin header is added to. */
  bare(status: number): void
}

/** @param decorate - adds the headers that every response carries. */
export function createResponder(response: ServerResponse, decorate: (headers: HeaderList) => void): Responder {
  // A response that waits for an earlier one on its connection has no socket yet, its request has. What is written to one that
  // its client has half closed goes nowhere, without a word.
  const open = () => !response.destroyed && !response.writableEnded && response.req.socket.writable
  const responder: Responder = {
    get settled() {
      return response.headersSent || !open()
    },
    get open() {
      return open()
    },
    reply({ status, headers, body }) {
      const bytes = Buffer.from(body)
      if (responder.settled) return
      decorate(headers)
      // A handler that gives a wrong length of its own gets what it asked for, unless there is no body.
      if (bytes.length === 0 && isBodiless(status)) headers.delete('content-length')
      else if (bytes.length === 0 || !headers.has('content-length')) headers.set('content-length', String(bytes.length))
      if (sendHead(response, status, headers)) response.end(bytes)
    },
    begin(status, headers) {
      if (responder.settled) return
      decorate(headers)
      // That a stream is chunked goes without saying.
      if (headers.get('transfer-encoding') === 'chunked') headers.delete('transfer-encoding')
      // Nothing follows a head that was asked for alone, and who writes more is cut.
      if (sendHead(response, status, headers) && response.req.method === 'HEAD') response.end()
    },
    write(chunk, done) {
      if (!open()) return done(false)
      // What goes out in one write reaches the client as one chunk.
      response.write(chunk, (error) => done(!error && open()))
    },
    end() {
      if (open()) response.end()
    },
    bare(status) {
      if (!responder.settled) sendBare(response, status)
    },
  }
  return responder
}

function sendBare(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0 }).end()
}

/**
 * Sends a head. A status below 200 cannot end a response, but for 101, and ends its connection either way. Who wants the
 * connection closed is told so, whatever the handler says. A head that cannot be sent, such as one with a transfer encoding of
 * the handler's, costs the client its connection.
 */
function sendHead(response: ServerResponse, status: number, headers: HeaderList): boolean {
  if (!response.shouldKeepAlive) headers.delete('connection')
  if (status < 200) response.shouldKeepAlive = false
  if (status < 200 && status !== 101) {
    response.removeHeader('connection')
    response.writeHead(STATUS.failed, response.req.method === 'HEAD' ? {} : { 'content-length': 0 }).end()
    return false
  }
  try {
    if (headers.has('transfer-encoding')) throw new Error('the transfer encoding is not up to the handler')
    writeHead(response, status, headers)
    return true
  } catch {
    response.req.socket.destroy()
    return false
  }
}

/** Node lets a head tell of a trailer only where the body is chunked, and with it would end the connection behind one without a body. */
function writeHead(response: ServerResponse, status: number, headers: HeaderList): void {
  if (isBodiless(status)) headers.delete('trailer')
  const { chunkedEncoding } = response
  const isCounted = headers.has('trailer') && headers.has('content-length')
  if (isCounted) response.chunkedEncoding = true
  response.writeHead(status, phraseOf(status), headers.toRaw())
  if (isCounted) response.chunkedEncoding = chunkedEncoding
}
