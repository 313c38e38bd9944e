import { Fault } from '@iii/protocol'
import { WebSocket } from 'ws'
import { refuseMistyped, requireBounds } from '../suggestions/mistyped.ts'

/** The reading end of a channel: iterate it for everything, or read all bytes. It connects with the first read. */
export interface ChannelReader extends AsyncIterable<Buffer | string> {
  /** Yields bytes as Buffer and text messages as string, in order, until the writer ends. Once only. @throws Fault `unavailable` where it is cut before that */
  [Symbol.asyncIterator](): AsyncIterator<Buffer | string, void, undefined>
  /** All bytes until the end; text messages are skipped. @throws Fault `too_large` beyond `maxBytes`, `unavailable` where it is cut or left before its end */
  readAll(options?: { maxBytes?: number | undefined }): Promise<Buffer>
  /** Leaves the channel. The engine notices only a cut, never a farewell. */
  terminate(): void
}

const CONNECT_WITHIN_MS = 10_000
/** The code of a connection that ended without a Close frame (RFC 6455, 7.1.5). */
const CUT = 1006
/** Items that wait for the consumer before the socket is paused. */
const MAX_WAITING = 16

export function createChannelReader(url: string): ChannelReader {
  let source: Source | undefined
  let left = false

  async function* iterate(): AsyncGenerator<Buffer | string, void, undefined> {
    if (source !== undefined || left) throw new Fault('conflict', 'A channel can be read once only')
    source = startSource(url)
    try {
      for (let item = await source.next(); item !== undefined; item = await source.next()) yield item
    } finally {
      source.terminate()
    }
  }

  return {
    [Symbol.asyncIterator]: iterate,
    async readAll(options: { maxBytes?: number | undefined } = {}) {
      refuseMistyped('readAll({ maxBytes })', options, { maxBytes: true })
      requireBounds('readAll', options, ['maxBytes'])
      const { maxBytes = Number.POSITIVE_INFINITY } = options
      const chunks: Buffer[] = []
      let bytes = 0
      for await (const item of iterate()) {
        if (typeof item === 'string') continue
        bytes += item.length
        if (bytes > maxBytes) throw new Fault('too_large', `The channel holds more than ${maxBytes} bytes`)
        chunks.push(item)
      }
      // What has come by then would be taken for the whole.
      if (left) throw new Fault('unavailable', 'The channel was left before its end')
      return Buffer.concat(chunks)
    },
    terminate() {
      left = true
      source?.terminate()
    },
  }
}

interface Source {
  /** The next item; undefined at the end. */
  next(): Promise<Buffer | string | undefined>
  terminate(): void
}

function startSource(url: string): Source {
  const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: CONNECT_WITHIN_MS })
  const waiting: (Buffer | string)[] = []
  let problem: Error | undefined
  let ended = false
  let left = false
  let wake: () => void = () => undefined
  socket.on('message', (data: Buffer, isBinary) => {
    waiting.push(isBinary ? data : data.toString())
    if (waiting.length >= MAX_WAITING) socket.pause()
    wake()
  })
  socket.on('error', (error) => {
    if (!left) problem = new Fault('unavailable', `The channel cannot be read: ${error.message}`)
  })
  socket.on('close', (code) => {
    if (code === CUT && !left) problem ??= new Fault('unavailable', 'The channel was cut before its end')
    ended = true
    wake()
  })
  return {
    async next() {
      while (waiting.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const item = waiting.shift()
      if (item === undefined && problem !== undefined) throw problem
      if (socket.isPaused && waiting.length === 0) socket.resume()
      return item
    },
    terminate() {
      left = true
      socket.terminate()
    },
  }
}
