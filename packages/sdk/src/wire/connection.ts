import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { toPublicUrl } from '../engine/url.ts'
import type { Logger } from '../log.ts'
import { toCloseText, toConnectProblem } from './connect-problem.ts'
import { type ConnectionReport, createConnectionReport } from './connection-report.ts'
import { parseFrame } from './frames.ts'
import { type Heartbeat, type HeartbeatTimings, startHeartbeat } from './heartbeat.ts'
import type { Outgoing } from './outgoing.ts'
import { createReattach, type Reattach, type ReattachStore } from './reattach.ts'
import { createRetries, RETRY_TIMINGS, type Retries, type RetryPace, type RetryTimings } from './reconnect-delay.ts'
import { createAcknowledgement, createOutlet, type Expectation, type Outlet, toMasking } from './socket.ts'
import { type Traffic, watchTraffic } from './traffic.ts'

/** `connected` means that the engine has greeted us and knows who we are, not only that there is a socket. */
export type ConnectionState = 'connecting' | 'connected' | 'closed'

export interface ConnectionTimings extends HeartbeatTimings, RetryTimings {
  /** From the first packet to the engine's greeting. */
  connectTimeoutMs: number
}

export const CONNECTION_TIMINGS: ConnectionTimings = {
  connectTimeoutMs: 10_000,
  pingEveryMs: 10_000,
  deadAfterMs: 25_000,
  ...RETRY_TIMINGS,
}

export interface ConnectionOptions {
  url: string
  headers: Readonly<Record<string, string>>
  maxMessageBytes: number
  timings: ConnectionTimings
  reattach: ReattachStore | undefined
  log: Logger
  /** The engine has greeted us: what we offer and who we are goes out now, and is answered by {@link EngineConnection.accept} or `refuse`. */
  onGreeted(): void
  /** The engine knows who we are: everything else that it must know again goes out now. */
  onUp(): void
  /** The engine is gone; what was out on this connection has no answer any more. */
  onDown(reason: string): void
  onMessage(data: Buffer): void
  onState(state: ConnectionState): void
  /** Which messages of the engine are to come soon. */
  expectation(): Expectation
}

/** Why the engine does not want us, and when to try again. `isTold` when somebody else has said it to the log. */
export interface ConnectionRefusal {
  reason: string
  pace: RetryPace
  isTold?: boolean
}

const CLOSE_WITHIN_MS = 300

/** One worker's socket: connects, is greeted, notices death, and connects again, for ever, until it is closed. */
export class EngineConnection {
  /** Counts the connections; what belongs to an older one must not be sent on a newer. */
  epoch = 0
  workerId: string | undefined
  state: ConnectionState = 'connecting'
  /** Why there is no connection, in words. */
  problem = 'not connected yet'
  /** Between greeting and loss: messages can be sent. */
  isOpen = false
  readonly #options: ConnectionOptions
  readonly #report: ConnectionReport
  readonly #retries: Retries
  readonly #outlet: Outlet
  readonly #reattach: Reattach
  readonly #acknowledgement = createAcknowledgement(() => void (this.isOpen && this.#socket?.pong()))
  #socket: WebSocket | undefined
  #stream: Socket | undefined
  #heartbeat: Heartbeat | undefined
  #retry: NodeJS.Timeout | undefined
  #refusal: ConnectionRefusal | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#report = createConnectionReport(options.log, toPublicUrl(options.url))
    this.#retries = createRetries(options.timings)
    const expectation = () => options.expectation()
    this.#outlet = createOutlet(toMasking(options.url), {
      expectation,
      onOver: (isQuiet) => {
        if (isQuiet && this.isOpen) this.#acknowledgement.onQuietRead(expectation())
      },
    })
    this.#reattach = createReattach(options.reattach)
  }

  /** Bytes handed over that the engine has not read yet. */
  get bufferedBytes(): number {
    return (this.#socket?.bufferedAmount ?? 0) + this.#outlet.waiting
  }

  /** @returns tells what has moved on this connection since it was asked last */
  watchTraffic(): () => Traffic {
    return watchTraffic(this.#stream)
  }

  send(message: Outgoing): void {
    if (!this.isOpen) return
    this.#outlet.send(message)
    this.#acknowledgement.onWrite()
  }

  /** Sends several messages at the price of one. */
  sendTogether(messages: readonly Outgoing[]): void {
    if (!this.isOpen) return
    this.#outlet.sendTogether(messages)
    this.#acknowledgement.onWrite()
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
    const isOpen = () => socket.readyState === WebSocket.OPEN
    socket.on('upgrade', ({ socket: stream }: { socket: Socket | null }) => {
      this.#stream = stream ?? undefined
      this.#outlet.setStream(stream ?? ((text) => socket.send(text)), isOpen)
    })
    socket.on('error', (error: Error & { code?: string }) => {
      // Ending a socket that is not open yet is an error of its own, which says nothing of why.
      if (!isLate) this.problem = toConnectProblem(error)
    })
    socket.on('close', (code, reason) => {
      clearTimeout(deadline)
      this.#lost(toCloseText(code, reason))
    })
    socket.on('ping', () => this.#hear())
    socket.on('pong', () => this.#heartbeat?.answered())
    socket.on('message', (data: Buffer) => {
      if (this.isOpen) this.#receive(data)
      else if (this.state === 'connecting' && this.#greet(data.toString())) clearTimeout(deadline)
    })
  }

  /** Drops the socket so that a new one is made; for an engine that has stopped reading. */
  drop(reason: string): void {
    this.problem = reason
    this.#socket?.terminate()
  }

  /** The engine knows who we are. */
  accept(): void {
    if (!this.isOpen || this.state !== 'connecting') return
    this.#report.connected()
    this.#retries.accepted()
    this.state = 'connected'
    this.#options.onUp()
    this.#options.onState('connected')
  }

  /** The engine does not want us: leaves, and tries again when it is any use. */
  refuse(refusal: ConnectionRefusal): void {
    if (this.#refusal !== undefined) return
    this.#refusal = refusal
    this.#retries.refused(refusal.pace)
    if (!refusal.isTold) this.#report.refused(refusal.reason)
    this.drop(`the engine refused this worker: ${refusal.reason}`)
  }

  async close(): Promise<void> {
    if (this.state === 'closed') return
    this.isOpen = false
    this.#outlet.flush()
    clearTimeout(this.#retry)
    this.#heartbeat?.stop()
    this.#setState('closed')
    this.#reattach.closed()
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
    this.#hear()
    this.#outlet.onRead()
    this.#options.onMessage(data)
  }

  #hear(): void {
    if (this.#heartbeat !== undefined) this.#heartbeat.heardAt = performance.now()
  }

  #greet(text: string): boolean {
    const frame = parseFrame(text)
    // The engine accepts the socket of a worker that it does not let in, says so, and closes it.
    if (frame?.type === 'error')
      this.refuse({ reason: `${frame.error?.message} (${frame.error?.code})`, pace: 'later' })
    if (frame?.type !== 'workerregistered') return false
    this.epoch++
    this.isOpen = true
    this.problem = ''
    this.#refusal = undefined
    const farewell = this.#reattach.greeted(frame.worker_id, frame.reattach_token)
    if (farewell !== undefined) this.send(farewell)
    this.workerId = frame.worker_id
    this.#heartbeat = startHeartbeat(this.#options.timings, {
      ping: () => this.#socket?.ping(),
      dead: (why) => this.drop(why),
      traffic: this.watchTraffic(),
    })
    this.#options.onGreeted()
    return true
  }

  #lost(reason: string): void {
    this.#heartbeat?.stop()
    this.#heartbeat = undefined
    if (this.state === 'closed') return
    const wasOpen = this.isOpen
    this.isOpen = false
    if (this.state === 'connected') this.#setState('connecting')
    if (this.problem === '') this.problem = reason
    if (wasOpen) this.#options.onDown(this.problem)
    if (this.#refusal === undefined) this.#report.lost(this.problem)
    this.#refusal = undefined
    this.#retry = setTimeout(() => this.connect(), this.#retries.nextDelayMs())
  }

  #setState(state: ConnectionState): void {
    this.state = state
    this.#options.onState(state)
  }
}
