import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { toPublicUrl } from '../engine-url.ts'
import type { Logger } from '../log.ts'
import { type ConnectionReport, createConnectionReport } from './connection-report.ts'
import { parseFrame } from './frames.ts'
import { type Heartbeat, type HeartbeatTimings, startHeartbeat } from './heartbeat.ts'
import { toMasking } from './masking.ts'

/** `connected` means that the engine has greeted us, not only that there is a socket. */
export type ConnectionState = 'connecting' | 'connected' | 'closed'

export interface ConnectionTimings extends HeartbeatTimings {
  /** From the first packet to the engine's greeting. */
  connectTimeoutMs: number
  /** The first try after a loss comes within so long, at random. */
  firstRetryMs: number
  /** Every further try comes within so long after the one before failed, at random in its upper half. */
  retryMs: number
}

export const CONNECTION_TIMINGS: ConnectionTimings = {
  connectTimeoutMs: 10_000,
  pingEveryMs: 10_000,
  deadAfterMs: 25_000,
  firstRetryMs: 300,
  // Leaves time to register everything within a second of the engine being there.
  retryMs: 600,
}

export interface ConnectionOptions {
  url: string
  headers: Readonly<Record<string, string>>
  maxMessageBytes: number
  timings: ConnectionTimings
  log: Logger
  /** The engine has greeted us: everything that it must know again goes out now. */
  onUp(): void
  /** The engine is gone; what was out on this connection has no answer any more. */
  onDown(reason: string): void
  onMessage(data: Buffer): void
  onState(state: ConnectionState): void
  /** Whether more messages of the engine are expected soon. */
  isWaiting(): boolean
}

const CLOSE_WITHIN_MS = 300
const MAX_CORK_MS = 1

/** One worker's socket: connects, greets, notices death, and connects again, for ever, until it is closed. */
export class EngineConnection {
  /** Counts the connections; what belongs to an older one must not be sent on a newer. */
  epoch = 0
  workerId: string | undefined
  state: ConnectionState = 'connecting'
  /** Why there is no connection, in words. */
  problem = 'not connected yet'
  readonly #options: ConnectionOptions
  readonly #report: ConnectionReport
  #socket: WebSocket | undefined
  #heartbeat: Heartbeat | undefined
  #retry: NodeJS.Timeout | undefined
  #reattachToken: string | undefined
  #failures = 0
  #stream: Duplex | undefined
  #wrote = false
  #corkedAt: number | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#report = createConnectionReport(options.log, toPublicUrl(options.url))
  }

  /** Bytes handed over that the engine has not read yet. */
  get bufferedBytes(): number {
    return this.#socket?.bufferedAmount ?? 0
  }

  send(text: string): void {
    this.#wrote = true
    this.#socket?.send(text)
    if (this.#corkedAt !== undefined && performance.now() - this.#corkedAt > MAX_CORK_MS) this.#flush()
  }

  /** Sends several messages at the price of one. */
  sendTogether(texts: readonly string[]): void {
    this.#stream?.cork()
    for (const text of texts) this.send(text)
    this.#stream?.uncork()
  }

  connect(): void {
    const { url, headers, maxMessageBytes, timings } = this.#options
    const socket = new WebSocket(url, {
      ...toMasking(url),
      headers,
      maxPayload: maxMessageBytes,
      perMessageDeflate: false,
    })
    this.#socket = socket
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      this.problem = `it did not answer within ${timings.connectTimeoutMs / 1000} s`
      socket.terminate()
    }, timings.connectTimeoutMs)
    socket.on('upgrade', (response) => {
      this.#stream = response.socket
    })
    socket.on('error', (error: Error & { code?: string }) => {
      // Ending a socket that is not open yet is an error of its own, which says nothing of why.
      if (!isLate) this.problem = error.message || error.code || error.name
    })
    socket.on('close', (code, reason) => {
      clearTimeout(deadline)
      this.#lost(closeText(code, reason))
    })
    socket.on('ping', () => this.#heartbeat?.touch())
    socket.on('pong', () => this.#heartbeat?.answered())
    socket.on('message', (data: Buffer) => {
      if (this.state === 'connected') this.#receive(data)
      else if (this.state === 'connecting' && this.#greet(data.toString())) clearTimeout(deadline)
    })
  }

  /** Drops the socket so that a new one is made; for an engine that has stopped reading. */
  drop(reason: string): void {
    this.problem = reason
    this.#socket?.terminate()
  }

  async close(): Promise<void> {
    if (this.state === 'closed') return
    clearTimeout(this.#retry)
    this.#heartbeat?.stop()
    this.#setState('closed')
    const socket = this.#socket
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return
    await new Promise<void>((resolve) => {
      const force = setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS)
      socket.once('close', () => {
        clearTimeout(force)
        resolve()
      })
      if (socket.readyState === WebSocket.CONNECTING) socket.terminate()
      else socket.close(1000)
    })
  }

  #receive(data: Buffer): void {
    this.#heartbeat?.touch()
    if (this.#corkedAt === undefined) {
      this.#corkedAt = performance.now()
      this.#wrote = false
      this.#stream?.cork()
      setImmediate(this.#afterRead, this.#stream)
    }
    this.#options.onMessage(data)
  }

  /** What the messages of one read set off goes out in one write, unless that takes its time. */
  #flush(): void {
    this.#corkedAt = performance.now()
    this.#stream?.uncork()
    this.#stream?.cork()
  }

  /**
   * The engine holds a small message back until the one before is acknowledged, and the kernel delays bare
   * acknowledgements by 40 ms. Whatever we write carries one, so when nothing was written since the last read and
   * more is expected, an unsolicited pong (which the engine ignores) does.
   */
  readonly #afterRead = (stream: Duplex | undefined): void => {
    this.#corkedAt = undefined
    stream?.uncork()
    if (!this.#wrote && this.state === 'connected' && this.#options.isWaiting()) this.#socket?.pong()
  }

  #greet(text: string): boolean {
    const frame = parseFrame(text)
    if (frame?.type === 'error') this.#refused(`${frame.error?.message} (${frame.error?.code})`)
    if (frame?.type !== 'workerregistered') return false
    this.epoch++
    this.#reattach(frame.worker_id, frame.reattach_token)
    this.#heartbeat = startHeartbeat(
      this.#options.timings,
      () => this.#socket?.ping(),
      (why) => this.drop(why),
    )
    this.#report.connected()
    this.problem = ''
    this.#failures = 0
    this.state = 'connected'
    this.#options.onUp()
    this.#options.onState('connected')
    return true
  }

  /** Asks the engine to forget our former connection, should it not have noticed yet that it is gone. */
  #reattach(workerId: string, token: string | undefined): void {
    if (this.workerId !== undefined && this.#reattachToken !== undefined) {
      const { workerId: previous } = this
      this.send(JSON.stringify({ type: 'reattach', previous_worker_id: previous, reattach_token: this.#reattachToken }))
    }
    this.workerId = workerId
    this.#reattachToken = token
  }

  #lost(reason: string): void {
    this.#heartbeat?.stop()
    this.#heartbeat = undefined
    if (this.state === 'closed') return
    if (this.state === 'connected') {
      this.problem = this.problem === '' ? reason : this.problem
      this.#setState('connecting')
      this.#options.onDown(this.problem)
    }
    this.#report.lost(this.problem)
    this.#retry = setTimeout(() => this.connect(), this.#delayMs())
  }

  #delayMs(): number {
    const { firstRetryMs, retryMs } = this.#options.timings
    const again = this.#failures++ > 0 || this.epoch === 0
    return again ? (retryMs * (1 + Math.random())) / 2 : firstRetryMs * (0.2 + 0.8 * Math.random())
  }

  /** The engine accepts the socket of a worker that it does not want, says so, and closes it. */
  #refused(reason: string): void {
    this.problem = `the engine refused this worker: ${reason}`
    this.#report.refused(reason)
  }

  #setState(state: ConnectionState): void {
    this.state = state
    this.#options.onState(state)
  }
}

function closeText(code: number, reason: Buffer): string {
  const words = reason.toString()
  return `the engine closed the connection (${code}${words === '' ? '' : `, ${words}`})`
}
