import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { hostname } from 'node:os'
import { toEngineUrl } from '../engine-url.ts'
import { findRouteReach, type RouteReach } from '../http/route-reach.ts'
import { createSelfRequests } from '../http/self-requests.ts'
import { createLog, type Logger } from '../log.ts'
import { OWNERSHIP_TIMINGS, type Ownership, type OwnershipListener } from '../ownership/ownership.ts'
import { type OwnershipWatch, startOwnershipWatch } from '../ownership/watch.ts'
import { within } from '../pause.ts'
import type { JsonSchema, ZodSchema } from '../schema/json-schema.ts'
import { type Caller, createCaller } from '../wire/caller.ts'
import {
  type Channel,
  type ChannelReader,
  type ChannelRef,
  type ChannelWriter,
  openReader,
  openWriter,
} from '../wire/channel.ts'
import { CONNECTION_TIMINGS, type ConnectionState, EngineConnection } from '../wire/connection.ts'
import { createOutbox, OUTBOX_LIMITS } from '../wire/outbox.ts'
import { createReadiness, type Readiness } from '../wire/readiness.ts'
import { createReplies, type Replies } from '../wire/replies.ts'
import { createReplyGate, type ReplyGate } from '../wire/reply-gate.ts'
import type { Handler, TriggerRequest } from './call.ts'
import { refuseCall, unwatched } from './call-watch.ts'
import { toDeafness } from './deafness.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import type { FunctionOptions, FunctionRegistration, Registration } from './function.ts'
import { formatPresentation } from './presentation.ts'
import { createReceiver } from './receiver.ts'
import { createTables, type Tables } from './tables.ts'
import type { TriggerTypeHandler, TriggerTypeInput } from './trigger-types.ts'
import type { TriggerInput } from './triggers.ts'
import type { RegisterWorkerOptions, Worker } from './worker.ts'

const CALL_TIMEOUT_MS = 30_000
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
const HOOKS_WITHIN_MS = 500
const HANDLERS_WITHIN_MS = 1000
/** What a worker registers to know of other processes and of its settings; it is offered to nobody. */
const OWN_AFFAIRS = 'iii::'
const UNWATCHED: Ownership = { state: 'serving', since: new Date(), lost: [], owner: undefined }

/** The worker behind `registerWorker`: one connection and the tables of what is registered on it. */
export class EngineWorker implements Worker {
  readonly url: string
  readonly instance = randomUUID()
  readonly log: Logger
  readonly #connection: EngineConnection
  readonly #caller: Caller
  readonly #gate: ReplyGate
  readonly #replies: Replies
  readonly #tables: Tables
  readonly #dispatch: Dispatch
  readonly #readiness: Readiness
  readonly #receive: (data: Buffer) => void
  readonly #presentation: string
  readonly #stopping = new AbortController()
  readonly #listeners = new Set<(state: ConnectionState) => void>()
  readonly #hooks = new Set<() => void | Promise<void>>()
  readonly #watch: OwnershipWatch | undefined
  readonly #selfRequests = createSelfRequests()
  #defers: boolean
  #shutdown: Promise<void> | undefined

  constructor(url: string, options: RegisterWorkerOptions) {
    const name = options.name ?? `${hostname()}:${process.pid}`
    this.url = toEngineUrl(url)
    this.log = options.log ?? createLog({ name, level: 'warn' })
    // Every call that is handed this signal listens to it, and many at once are no leak.
    setMaxListeners(0, this.#stopping.signal)
    this.#presentation = formatPresentation({ name, version: options.version, description: options.description })
    this.#connection = this.#createConnection(options)
    const outbox = createOutbox({ ...OUTBOX_LIMITS, ...options.queue })
    this.#caller = createCaller(this.#connection, outbox, options.callTimeoutMs ?? CALL_TIMEOUT_MS)
    this.#gate = createReplyGate({
      bufferedBytes: () => this.#connection.bufferedBytes,
      epoch: () => (this.state === 'connected' ? this.#connection.epoch : undefined),
      send: (texts) => this.#connection.sendTogether(texts),
      onStuck: () => this.#connection.drop('the engine does not read our replies'),
    })
    this.#replies = createReplies(this.#gate.send)
    this.#defers = options.defers === true
    this.#tables = createTables({
      instance: this.instance,
      log: this.log,
      send: this.#send,
      defers: () => this.#defers,
      mayRepeat: (id) => this.#watch?.mayRepeat(id) ?? true,
      ready: () => this.#readiness.wait(undefined),
    })
    this.#dispatch = createDispatch({
      functions: this.#tables.functions.all,
      replies: this.#replies,
      instance: this.instance,
      answerOwn: this.#selfRequests.answer,
      signal: this.#stopping.signal,
      log: this.log,
    })
    this.#readiness = createReadiness(
      () => this.#ping(),
      () => this.#connection.problem,
      {
        ...toDeafness(this.log, () => this.#tables.triggers.routes()),
        ...options.timings,
        drop: () => this.#connection.drop('the engine read nothing of what this worker sent'),
      },
    )
    this.#receive = createReceiver({
      ...this.#tables,
      dispatch: this.#dispatch,
      caller: this.#caller,
      readiness: this.#readiness,
      log: this.log,
      send: this.#send,
      epoch: () => this.#connection.epoch,
    })
    this.#watch = this.#startWatch(name, options)
  }

  start(): void {
    this.#connection.connect()
  }

  get state(): ConnectionState {
    return this.#connection.state
  }

  get workerId(): string | undefined {
    return this.state === 'connected' ? this.#connection.workerId : undefined
  }

  get functionIds(): readonly string[] {
    return [...this.#tables.functions.all.keys()].filter((id) => !id.startsWith(OWN_AFFAIRS))
  }

  get ownership(): Ownership {
    return this.#watch?.ownership ?? UNWATCHED
  }

  onOwnershipChange(listener: OwnershipListener): () => void {
    return this.#watch?.onChange(listener) ?? (() => undefined)
  }

  async ready({ timeoutMs }: { timeoutMs?: number | undefined } = {}): Promise<void> {
    await this.#watch?.decided(timeoutMs)
    await this.#readiness.wait(timeoutMs)
  }

  onStateChange(listener: (state: ConnectionState) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  reach(): Promise<RouteReach> {
    const { routes } = this.#tables.triggers
    return findRouteReach(this, { routes: routes(), selfRequests: this.#selfRequests })
  }

  claim(): void {
    if (!this.#defers) return
    this.#defers = false
    this.#tables.sendAll()
    this.#watch?.onClaimed()
  }

  onShutdown(hook: () => void | Promise<void>): () => void {
    this.#hooks.add(hook)
    return () => void this.#hooks.delete(hook)
  }

  registerFunction(
    id: string | { id: string },
    handler: Handler<never>,
    options?: FunctionOptions<ZodSchema | JsonSchema>,
  ): FunctionRegistration {
    const registration = this.#tables.functions.register(id, handler, options)
    unwatched(() => this.#watch?.onRegistered())
    return registration
  }

  registerTrigger(input: TriggerInput): Registration {
    return this.#tables.triggers.register(input)
  }

  registerTriggerType(input: TriggerTypeInput, handler: TriggerTypeHandler): Registration {
    return this.#tables.types.register(input, handler)
  }

  trigger<Result = unknown>(request: TriggerRequest): Promise<Result> {
    return (refuseCall(request.function_id) ?? this.#caller.call(request)) as Promise<Result>
  }

  async createChannel(bufferSize?: number): Promise<Channel> {
    const payload = bufferSize === undefined ? {} : { buffer_size: bufferSize }
    const refs = await this.trigger<{ writer: ChannelRef; reader: ChannelRef }>({
      function_id: 'engine::channels::create',
      payload,
    })
    return {
      writer: this.openChannelWriter(refs.writer),
      reader: this.openChannelReader(refs.reader),
      writerRef: refs.writer,
      readerRef: refs.reader,
    }
  }

  openChannelWriter(ref: ChannelRef): ChannelWriter {
    return openWriter(this.url, ref)
  }

  openChannelReader(ref: ChannelRef): ChannelReader {
    return openReader(this.url, ref)
  }

  shutdown(): Promise<void> {
    this.#shutdown ??= this.#stop()
    return this.#shutdown
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown()
  }

  async #stop(): Promise<void> {
    const hooks = Promise.allSettled([...this.#hooks].map(async (hook) => hook()))
    await within(HOOKS_WITHIN_MS, hooks)
    this.#stopping.abort(new Error('This worker is shutting down'))
    await within(HANDLERS_WITHIN_MS, this.#dispatch.idle())
    this.#replies.flush()
    this.#gate.flush()
    this.#caller.close()
    this.#readiness.onClosed()
    await this.#connection.close()
    this.#listeners.clear()
  }

  #createConnection(options: RegisterWorkerOptions): EngineConnection {
    return new EngineConnection({
      url: this.url,
      headers: options.headers ?? {},
      maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      timings: { ...CONNECTION_TIMINGS, ...options.timings },
      log: this.log,
      onUp: () => this.#onUp(),
      onDown: (reason) => {
        this.#readiness.onDown()
        this.#caller.onDown(reason)
      },
      onMessage: (data) => this.#receive(data),
      onState: (state) => {
        for (const listener of [...this.#listeners]) listener(state)
      },
      isWaiting: () => this.#caller.pending > 0 || this.#dispatch.running > 0,
    })
  }

  #startWatch(name: string, { watchOwnership, version }: RegisterWorkerOptions): OwnershipWatch | undefined {
    if (!watchOwnership) return undefined
    const { registrations } = this.#tables
    const timings = { ...OWNERSHIP_TIMINGS, ...(watchOwnership === true ? {} : watchOwnership) }
    return startOwnershipWatch({ worker: this, registrations, name, version, timings, defers: () => this.#defers })
  }

  readonly #send = (text: string, epoch = this.#connection.epoch): void => {
    if (this.state === 'connected' && epoch === this.#connection.epoch) this.#connection.send(text)
  }

  #ping(): boolean {
    this.#send('{"type":"ping"}')
    return this.state === 'connected'
  }

  /** The engine handles these in order, so whatever is called afterwards finds everything registered. */
  #onUp(): void {
    this.#tables.sendAll()
    this.#caller.onUp()
    this.#connection.send(this.#presentation)
    this.#readiness.onUp()
  }
}
