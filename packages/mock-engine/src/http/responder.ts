import type { ServerResponse } from 'node:http'
import type { HeaderList } from './head.ts'
import type { Reply } from './return-value.ts'

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
  const open = () => !response.destroyed && response.socket?.destroyed === false
  const responder: Responder = {
    get settled() {
      return response.headersSent || !open()
    },
    get open() {
      return open()
    },
    reply({ status, headers, body }) {
      if (responder.settled) return
      decorate(headers)
      const bytes = Buffer.from(body)
      if (!headers.has('content-length')) headers.append('content-length', String(bytes.length))
      response.writeHead(status, headers.toRaw())
      response.end(bytes)
    },
    begin(status, headers) {
      if (responder.settled) return
      decorate(headers)
      response.writeHead(status, headers.toRaw())
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
      if (!responder.settled) response.writeHead(status, { 'content-length': 0 }).end()
    },
  }
  return responder
}
