import { isRecord } from '@iii/protocol'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { Clock } from '../clock.ts'
import { type Incoming, parseLine, type ServerAnswer } from './incoming.ts'
import { createLineReader } from './line-reader.ts'
import { createNoiseBudget, type NoiseBudget } from './noise.ts'
import { createOutgoing, type OutgoingOptions, type ServerInput } from './outgoing.ts'
import type { ServerProcess } from './server-process.ts'
import { createThrottle, type Throttle } from './throttle.ts'

export interface ServerTransportOptions extends OutgoingOptions {
  readonly process: Pick<ServerProcess, 'stdin' | 'stdout'>
  readonly clock: Clock
  onNotification(method: string, params: Readonly<Record<string, unknown>>): void
  /** What the server answered to `initialize`, before anybody judges it. */
  onInitialize(answer: ServerAnswer): void
  /** All requests that were given up are answered by now. */
  onLateAnswers(): void
  /** The connection has ended for what the server did. */
  onBroken(why: Breach): void
}

export type Breach = 'message_too_large' | 'stdout_garbage' | 'stdout_closed' | 'stdin_closed'

/** What comes of a request but `initialize`: the answer as the server gave it, which the client passes on unread. */
export interface Received {
  readonly answer: ServerAnswer
  /** Of the line that brought it. */
  readonly bytes: number
}

/** Who closes its stdin or stdout is about to end, and how says more. */
const LAST_WORDS_MS = 500

/**
 * Carries the messages of the official client over stdin and stdout of a process. What arrives is bounded before anybody reads it; the
 * client gets well-formed messages alone, and of answers nothing but a `Received`, so that what is wrong with one costs its call alone.
 */
export function createServerTransport(options: ServerTransportOptions): Transport {
  const { clock, process } = options
  const { stdin, stdout } = process
  const outgoing = createOutgoing(options)
  const noise = createNoiseBudget(clock)
  const receive = createReceiver(options, { outgoing, noise, deliver: (message) => transport.onmessage?.(message) })
  const throttle = createThrottle({ clock, pause: () => stdout.pause(), resume: () => stdout.resume() })
  const read = createReading(options, { receive, noise, throttle, breakOff })
  let isClosed = false

  function close(): void {
    if (isClosed) return
    isClosed = true
    throttle.close()
    outgoing.close()
    stdout.off('data', read)
    // Whoever goes on writing must not be kept from ending.
    stdout.resume()
    transport.onclose?.()
  }

  function breakOff(why: Breach): void {
    if (isClosed) return
    options.onBroken(why)
    close()
  }

  const transport: Transport = {
    async start() {
      stdin.on('error', () => clock.after(LAST_WORDS_MS, () => breakOff('stdin_closed')))
      stdout.on('error', () => undefined)
      stdout.on('data', read)
      stdout.on('end', () => clock.after(LAST_WORDS_MS, () => breakOff('stdout_closed')))
    },
    async send(message) {
      outgoing.send(message)
    },
    async close() {
      close()
    },
  }
  return transport
}

interface ReadingParts {
  /** @returns whether anybody had asked for it */
  receive(message: Incoming, bytes: number): boolean
  readonly noise: NoiseBudget
  readonly throttle: Throttle
  breakOff(why: Breach): void
}

function createReading({ messageBytes, counts }: ServerTransportOptions, parts: ReadingParts) {
  const { receive, noise, throttle, breakOff } = parts

  function onNoise(bytes: number, isLine = true): void {
    if (isLine) counts.add('skipped_lines')
    throttle.count(bytes)
    if (!noise.spend(bytes, isLine)) breakOff('stdout_garbage')
  }

  const reader = createLineReader({
    maxBytes: messageBytes,
    onNoise,
    onBlank: throttle.count,
    onTooLong: () => breakOff('message_too_large'),
    onLine(line) {
      const messages = parseLine(line)
      if (messages === undefined) return onNoise(line.length)
      const share = line.length / messages.length
      for (const message of messages) if (!receive(message, line.length)) throttle.count(share)
    },
  })
  return (chunk: Buffer) => reader.push(chunk)
}

function createReceiver(
  { counts, onNotification, onInitialize, onLateAnswers }: ServerTransportOptions,
  parts: { readonly outgoing: ServerInput; readonly noise: NoiseBudget; deliver(message: JSONRPCMessage): void },
): ReadingParts['receive'] {
  const { outgoing, noise, deliver } = parts

  function onInitialized(id: number, answer: ServerAnswer): void {
    onInitialize(answer)
    if ('error' in answer) {
      deliver({ jsonrpc: '2.0', id, error: answer.error })
      return
    }
    noise.onInitialized()
    // The client takes a result that is no object, or whose `_meta` is not as it should be, for no answer, and would wait on.
    const { _meta: _, ...result } = isRecord(answer.result) ? answer.result : {}
    deliver({ jsonrpc: '2.0', id, result })
  }

  function ignore(id: unknown): false {
    counts.add('ignored_responses')
    if (outgoing.endsGivenUp(id)) onLateAnswers()
    return false
  }

  return (message, bytes) => {
    if (message.kind === 'notification') {
      onNotification(message.method, message.params)
      return false
    }
    if (message.kind === 'request') {
      const { id, method } = message
      if (method !== 'ping') counts.add('refused_requests')
      deliver({ jsonrpc: '2.0', id, method })
      return false
    }
    const { answer } = message
    const method = outgoing.take(message.id)
    if (method === undefined) return ignore(message.id)
    const id = Number(message.id)
    if (method === 'initialize') onInitialized(id, answer)
    else deliver({ jsonrpc: '2.0', id, result: { answer, bytes } satisfies Received })
    return true
  }
}
