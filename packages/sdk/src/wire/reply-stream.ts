import { randomBytes, randomUUID } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { formatCall } from './frames.ts'
import { toTextFrames } from './text-frames.ts'
import { createMessageReader, type Piece } from './websocket-frames.ts'

export interface StreamedCall {
  readonly functionId: string
  readonly payload: unknown
  /** So long nothing may come; how long all of it takes does not matter. In milliseconds. */
  readonly silenceMs: number
}

/**
 * Calls a function on a connection of its own and hands out what the engine says there as it comes, so that an answer of any size takes
 * no memory here, and costs nobody's connection but this one.
 *
 * @returns pieces of messages, the greeting of the engine too; it is for the caller to know which one is the answer, and to stop
 * @throws an Error when the engine cannot be reached, refuses, leaves or is silent
 */
export async function* streamReply(
  engineUrl: string,
  { functionId, payload, silenceMs }: StreamedCall,
): AsyncGenerator<Piece> {
  const socket = await upgrade(engineUrl, silenceMs)
  const read = createMessageReader()
  try {
    const call = formatCall({ invocationId: randomUUID(), functionId, payload })
    for (const part of toTextFrames([call], true)) socket.write(part, 'latin1')
    const bytes = socket[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await inTime(bytes.next(), silenceMs)
      if (done === true) throw new Error('The engine has closed the connection')
      for (const piece of read(value as Buffer)) yield piece
    }
  } finally {
    socket.destroy()
  }
}

/** @returns the connection, past the handshake of RFC 6455 */
function upgrade(engineUrl: string, silenceMs: number): Promise<Duplex> {
  const url = new URL(engineUrl)
  const isSecure = url.protocol === 'wss:'
  url.protocol = isSecure ? 'https:' : 'http:'
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  }
  return new Promise((resolve, reject) => {
    const asked = (isSecure ? requestHttps : requestHttp)(url, { headers, agent: false, timeout: silenceMs })
    asked.on('error', reject)
    asked.on('timeout', () => asked.destroy(new Error('The engine did not answer in time')))
    asked.on('response', ({ statusCode }) => {
      asked.destroy(new Error(`The engine refused the connection with ${statusCode}`))
    })
    asked.on('upgrade', (_, socket, head) => {
      socket.setTimeout(0)
      // What it has to say comes out of the iteration.
      socket.on('error', () => undefined)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    asked.end()
  })
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const stop = new AbortController()
  const late = pause(ms, undefined, { signal: stop.signal }).then(
    () => {
      throw new Error(`The engine has said nothing for ${ms} ms`)
    },
    () => new Promise<never>(() => undefined),
  )
  try {
    return await Promise.race([work, late])
  } finally {
    stop.abort()
  }
}
