import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import type { Socket } from 'node:net'
import { Fault } from '@iii/protocol'
import { WebSocket } from 'ws'
import { toKind } from '../suggestions/mistyped.ts'
import { adviseOnProblem, toConnectProblem } from './connect-problem.ts'
import { writeJson } from './json-text.ts'
import { toMasking } from './socket.ts'
import { watchTraffic } from './traffic.ts'

/** The writing end of a channel. Nobody has to listen for errors: they reject the write that met them. */
export interface ChannelWriter {
  /** Resolves once the reader's side has room for more. @throws Fault `unavailable` when the reader is gone, `invalid_input` for what is neither. */
  write(bytes: Uint8Array | string): Promise<void>
  /** Sends a text message beside the bytes, in order with them; an object is written as JSON. @throws Fault `invalid_input` for what JSON cannot write */
  sendMessage(message: string | object): Promise<void>
  /** Ends the channel after everything written has gone out, and cuts it when nothing of that goes out for so long. @default 1000 */
  close(withinMs?: number): Promise<void>
  /** Cuts the channel at once. */
  terminate(): void
  readonly isOpen: boolean
  /**
   * Resolves when the channel stands. Rejects with Fault `not_found` where the engine does not know it any more, for its reader has left or
   * five minutes have gone by, and `unavailable` where it cannot be opened from here, or not within 10 s. Nobody has to listen.
   */
  readonly opened: Promise<void>
  /** Resolves when the channel has ended, whoever ended it. A reader that leaves is noticed with the next write. */
  readonly closed: Promise<void>
}

const MAX_CHUNK_BYTES = 1024 * 1024
const ROOM_BYTES = 256 * 1024
/** Its turn among those that are being connected included: whoever waits for a response waits no longer than 30 s. */
const OPEN_WITHIN_MS = 10_000
const CLOSE_WITHIN_MS = 1000
/** How often it is looked, in that time, whether something goes out. */
const LOOKS = 4
/**
 * So many are being connected to an engine at once; the others wait their turn. It logs several lines for each, and an engine that logs a
 * thousand at a stretch warns of it without end.
 */
const MAX_CONNECTING = 16
const LEFT = 'the reader has left'
const FORGOTTEN = 'its reader has left, or one of its ends was not opened within five minutes'
const NOT_KNOWN = 'Unexpected server response: 404'
const OPENING: Readonly<Record<string, Agent>> = {
  'ws:': new Agent({ maxSockets: MAX_CONNECTING }),
  'wss:': new SecureAgent({ maxSockets: MAX_CONNECTING }),
}

export function createChannelWriter(url: string): ChannelWriter {
  const socket = new WebSocket(url, {
    ...toMasking(url),
    agent: OPENING[new URL(url).protocol],
    perMessageDeflate: false,
  })
  let problem: string | undefined
  let ending = false
  let stream: Socket | undefined
  const late = setTimeout(() => {
    problem = `it did not stand within ${OPEN_WITHIN_MS} ms`
    socket.terminate()
  }, OPEN_WITHIN_MS)
  socket.on('error', (error) => {
    problem ??= toConnectProblem(error)
  })
  socket.on('upgrade', (response) => {
    stream = response.socket
  })
  for (const event of ['open', 'close']) socket.on(event, () => clearTimeout(late))
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('close', () => reject(toUnopened(problem ?? LEFT)))
  })
  const settled = opened.catch(() => undefined)

  function gone(): Fault {
    return new Fault('unavailable', ending ? 'The channel has been closed' : toGone(problem))
  }

  async function send(data: Uint8Array | string): Promise<void> {
    if (ending) throw gone()
    if (socket.readyState === WebSocket.CONNECTING) await settled
    if (socket.readyState !== WebSocket.OPEN) throw gone()
    await new Promise<void>((resolve, reject) => {
      socket.send(data, (error) => (error ? reject(gone()) : resolve()))
      if (socket.bufferedAmount < ROOM_BYTES) resolve()
    })
  }

  function terminate(): void {
    ending = true
    cutOnceOpen(socket)
  }

  // One after the other, so that what is written before the socket is open keeps its order.
  let last: Promise<void> = Promise.resolve()
  function enqueue(work: () => Promise<void>): Promise<void> {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }

  return {
    closed,
    opened,
    get isOpen() {
      return !ending && socket.readyState <= WebSocket.OPEN
    },
    write: (bytes) =>
      enqueue(async () => {
        requireBytes(bytes)
        const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
        for (let at = 0; at < buffer.length || at === 0; at += MAX_CHUNK_BYTES) {
          await send(buffer.subarray(at, at + MAX_CHUNK_BYTES))
        }
      }),
    sendMessage: (message) => enqueue(async () => send(toText(message))),
    async close(withinMs = CLOSE_WITHIN_MS) {
      const closing = enqueue(async () => {
        if (socket.readyState === WebSocket.CONNECTING) await settled
        ending = true
        socket.close(1000)
      })
      await settled
      const stopLooking = onIdle(stream, withinMs, terminate)
      await closing
      await closed
      stopLooking()
    },
    terminate,
  }
}

/** An engine that has seen no writer has the reader wait for one. */
function cutOnceOpen(socket: WebSocket): void {
  if (socket.readyState === WebSocket.CONNECTING) socket.once('open', () => socket.terminate())
  else socket.terminate()
}

function requireBytes(given: Uint8Array | string): void {
  // Under jest, a Buffer is no Uint8Array of the code that it is handed to.
  if (typeof given === 'string' || (ArrayBuffer.isView(given) && given.BYTES_PER_ELEMENT === 1)) return
  const right = 'JSON.stringify(…) makes a text of other values'
  throw new Fault('invalid_input', `write takes bytes (a Uint8Array) or a text, not ${toKind(given)}; ${right}`)
}

function toText(message: string | object): string {
  const text = typeof message === 'string' ? message : writeJson(message, 'message')
  if (text !== undefined) return text
  throw new Fault('invalid_input', `sendMessage takes a text or an object, not ${toKind(message)}`)
}

/** Calls `cut` when nothing has gone out for so long. @returns looks no more */
function onIdle(stream: Socket | undefined, withinMs: number, cut: () => void): () => void {
  const traffic = watchTraffic(stream)
  let idle = 0
  const looking = setInterval(() => {
    idle = traffic().hasLeft ? 0 : idle + 1
    if (idle === LOOKS) cut()
  }, withinMs / LOOKS)
  return () => clearInterval(looking)
}

function toGone(problem = LEFT): string {
  return `The channel is gone: ${problem === NOT_KNOWN ? FORGOTTEN : problem}`
}

function toUnopened(problem: string): Fault {
  if (problem === NOT_KNOWN)
    return new Fault('not_found', `The engine does not know the channel any more: ${FORGOTTEN}`)
  return new Fault('unavailable', `The channel cannot be opened: ${problem}${adviseOnProblem(problem)}`)
}
