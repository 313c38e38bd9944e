import { connect } from 'node:net'
import { createInbox, type Inbox } from './inbox.ts'
import { createResponseReader } from './raw-response.ts'
import type { HttpStep } from './trace.ts'

/** One HTTP request on a connection of its own, and what came back. */
export interface HttpExchange {
  /** Told once, when the response head is there. */
  readonly head: Inbox<ResponseHead>
  readonly chunks: Inbox<Buffer>
  readonly state: ExchangeState
  write(text: string): void
  abort(): void
}

export interface ResponseHead {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
}

interface ExchangeState {
  head: ResponseHead | undefined
  headAfterMs: number
  /** Every body byte so far. */
  body: Buffer
  end: 'clean' | 'cut' | undefined
}

/** Sends a request exactly as it is given; only `Host` and `Content-Length` are added where they are missing. */
export function startExchange(base: string, step: HttpStep): HttpExchange {
  const { hostname, host, port } = new URL(base)
  const started = Date.now()
  const head = createInbox<ResponseHead>()
  const chunks = createInbox<Buffer>()
  const state: ExchangeState = { head: undefined, headAfterMs: 0, body: Buffer.alloc(0), end: undefined }
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  const finish = (how: 'clean' | 'cut') => {
    state.end ??= how
    head.end()
    chunks.end()
    socket.destroy()
  }
  const read = createResponseReader(step.method, {
    head(status, headers) {
      state.head = { status, headers }
      state.headAfterMs = Date.now() - started
      head.push(state.head)
    },
    chunk(data) {
      state.body = Buffer.concat([state.body, data])
      chunks.push(data)
    },
    end: () => finish('clean'),
  })
  socket.on('data', read)
  socket.on('error', () => {})
  socket.on('close', () => finish('cut'))
  socket.write(formatRequest(step, host))
  return { head, chunks, state, write: (text) => void socket.write(text), abort: () => void socket.destroy() }
}

function formatRequest(step: HttpStep, host: string): Buffer {
  const headers = (Array.isArray(step.headers) ? [...step.headers] : Object.entries(step.headers ?? {})) as [
    string,
    string,
  ][]
  const has = (name: string) => headers.some(([key]) => key.toLowerCase() === name)
  const body = Buffer.from(step.body ?? '')
  if (step.host !== false && !has('host')) headers.unshift(['Host', host])
  if (step.body !== undefined && !has('content-length') && !has('transfer-encoding')) {
    headers.push(['Content-Length', String(body.length)])
  }
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${step.method} ${step.path} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}
