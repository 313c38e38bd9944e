import { PassThrough } from 'node:stream'
import type { StdioStreams } from '../stdio/streams.ts'
import { untilAnswer } from './until.ts'

export interface StdioMessage {
  readonly jsonrpc?: string
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The client at the other end of a server's stdin and stdout. */
export interface StdioClient {
  /** The server's ends. */
  readonly streams: StdioStreams
  /** All that came so far, a line each, as it came. */
  readonly lines: readonly string[]
  readonly messages: readonly StdioMessage[]
  write(bytes: string | Uint8Array): void
  send(message: object): void
  /** Sends a request and waits for its reply. */
  request(method: string, params?: object): Promise<StdioMessage>
  /** Sends a request and hands out its result; an error fails the test. */
  result<T = Record<string, unknown>>(method: string, params?: object): Promise<T>
  notify(method: string, params?: object): void
  /** The first message that is so, of those that came and those that will. */
  find(isIt: (message: StdioMessage) => boolean): Promise<StdioMessage>
  /** `initialize` and what follows it. @returns the result */
  open(options?: { capabilities?: object; revision?: string }): Promise<Record<string, unknown>>
  /** Closes the server's stdin. */
  end(): void
}

export function createStdioClient(): StdioClient {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const lines: string[] = []
  const messages: StdioMessage[] = []
  let rest = ''
  let count = 0
  output.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      lines.push(line)
      messages.push(JSON.parse(line) as StdioMessage)
    }
  })

  const send = (message: object) => void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const find = async (isIt: (message: StdioMessage) => boolean) =>
    (await untilAnswer(
      () => messages.find(isIt),
      (message) => message !== undefined,
    )) as StdioMessage

  async function request(method: string, params?: object): Promise<StdioMessage> {
    const id = `r${++count}`
    send({ id, method, params })
    return find((message) => message.id === id && message.method === undefined)
  }

  async function result<T>(method: string, params?: object): Promise<T> {
    const reply = await request(method, params)
    if (reply.result === undefined) throw new Error(`${method} failed: ${JSON.stringify(reply)}`)
    return reply.result as T
  }

  return {
    streams: { input, output },
    lines,
    messages,
    write: (bytes) => void input.write(bytes),
    send,
    request,
    result,
    notify: (method, params) => send({ method, params }),
    find,
    async open({ capabilities = {}, revision = '2025-11-25' } = {}) {
      const clientInfo = { name: 'tester', version: '9' }
      const opened = await result<Record<string, unknown>>('initialize', {
        protocolVersion: revision,
        capabilities,
        clientInfo,
      })
      send({ method: 'notifications/initialized' })
      return opened
    },
    end: () => void input.end(),
  }
}
