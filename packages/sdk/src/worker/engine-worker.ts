import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Handler, TriggerRequest } from '../engine/call.ts'
import { refuseCall, unwatched } from '../engine/call-context.ts'
import { shutDownError } from '../engine/invocation-error.ts'
import { toNamespace } from '../engine/namespace.ts'
import { toEngineUrl } from '../engine/url.ts'
import { findRouteReach, type RouteReach } from '../http/route-reach.ts'
import { createLog, type Logger } from '../log.ts'
import { OWNERSHIP_TIMINGS, type Ownership, type OwnershipListener } from '../ownership/ownership.ts'
import { type OwnershipWatch, startOwnershipWatch } from '../ownership/watch.ts'
import { within } from '../pause.ts'
import type { AnySchema } from '../schema/json-schema.ts'
import { refuseMistyped, requireFunction, requireMs } from '../suggestions/mistyped.ts'
import {
  type Channel,
  type ChannelReader,
  type ChannelRef,
  type ChannelWriter,
  openReader,
  openWriter,
} from '../wire/channel.ts'
import type { ConnectionState } from '../wire/connection.ts'
import { openChannel } from './channels.ts'
import type { FunctionOptions, FunctionRegistration, Registration } from './function.ts'
import { toIdentity } from './presence.ts'
import { createRefusals } from './refusals.ts'
import type { Tables } from './tables.ts'
import { tellListener } from './tell-listener.ts'
import { createTriggerReview, type TriggerReview } from './trigger-review.ts'
import type { TriggerTypeHandler, TriggerTypeInput } from './trigger-types.ts'
import type { TriggerInput } from './triggers.ts'
import { createWiring, type Wiring } from './wiring.ts'
import type { RegisterWorkerOptions, Worker } from './worker.ts'

const HOOKS_WITHIN_MS = 500
const HANDLERS_WITHIN_MS = 1000
/** What a worker registers to know of other processes and of its settings; it is offered to nobody. */
const OWN_AFFAIRS = 'iii::'
const UNWATCHED: Ownership = { state: 'serving', since: new Date(), lost: [], owner: undefined }

/** The worker behind `registerWorker`: one connection and the tables of what is registered on it. */
export class EngineWorker implements Worker {
  readonly url: string
  readonly namespace: string | undefined
  readonly instance = randomUUID()
  readonly log: Logger
  readonly #parts: Wiring
  readonly #tables: Tables
  readonly #stopping = new AbortController()
  readonly #listeners = new Set<(state: ConnectionState) => void>()
  readonly #hooks = new Set<() => void | Promise<void>>()
  readonly #watch: OwnershipWatch | undefined
  readonly #review: TriggerReview
  #defers: boolean
  #shutdown: Promise<void> | undefined

  constructor(url: string, options: RegisterWorkerOptions) {
    this.url = toEngineUrl(url)
    this.namespace = toNamespace(options.namespace)
    this.log = options.log ?? createLog({ name: toIdentity(options).name, level: 'warn' })
    // Every call that is handed this signal listens to it, and many at once are no leak.
    setMaxListeners(0, this.#stopping.signal)
    this.#defers = options.defers === true
    const tellRefusal = createRefusals(this.log)
    this.#parts = createWiring(options, {
      url: this.url,
      namespace: this.namespace,
      instance: this.instance,
      log: this.log,
      signal: this.#stopping.signal,
      defers: () => this.#defers,
      mayRepeat: (id) => this.#watch?.mayRepeat(id) ?? true,
      onState: (state) => {
        for (const listener of [...this.#listeners]) tellListener(this.log, 'a listener to the state', listener, state)
      },
      // Who watches sees for himself whose it is; what the engine keeps for itself is nobody's whom he could see.
      onRefused: (id, owner) => (owner && this.#watch ? this.#watch.onRefused() : tellRefusal(id, owner)),
    })
    this.#tables = this.#parts.tables
    this.#watch = this.#startWatch(options)
    const { functions, triggers, types } = this.#tables
    this.#review = createTriggerReview({
      wishes: triggers.wishes,
      namespace: this.namespace,
      functionIds: { [Symbol.iterator]: () => functions.all.keys() },
      providesType: types.has,
      ask: (id, payload, timeoutMs) => this.#parts.caller.call({ function_id: id, payload, timeoutMs }),
      log: this.log,
    })
  }

  start(): void {
    this.#parts.connection.connect()
  }

  get state(): ConnectionState {
    return this.#parts.connection.state
  }

  get workerId(): string | undefined {
    return this.state === 'connected' ? this.#parts.connection.workerId : undefined
  }

  get functionIds(): readonly string[] {
    return [...this.#tables.functions.all.keys()].filter((id) => !id.startsWith(OWN_AFFAIRS))
  }

  get ownership(): Ownership {
    return this.#watch?.ownership ?? UNWATCHED
  }

  onOwnershipChange(listener: OwnershipListener): () => void {
    requireFunction('onOwnershipChange', listener)
    return this.#watch?.onChange(listener) ?? (() => undefined)
  }

  async ready(options: { timeoutMs?: number | undefined } = {}): Promise<void> {
    refuseMistyped('ready({ timeoutMs })', options, { timeoutMs: true })
    requireMs('ready', options, ['timeoutMs'])
    const { timeoutMs } = options
    await this.#watch?.decided(timeoutMs)
    await this.#parts.readiness.wait(timeoutMs)
    unwatched(() => void this.#review.run())
  }

  onStateChange(listener: (state: ConnectionState) => void): () => void {
    requireFunction('onStateChange', listener)
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  reach(): Promise<RouteReach> {
    const { routes } = this.#tables.triggers
    return findRouteReach(this, { routes: routes(), selfRequests: this.#parts.selfRequests })
  }

  claim(): void {
    if (!this.#defers) return
    this.#defers = false
    const { functions, sendRest } = this.#tables
    functions.repeat(functions.all.keys())
    sendRest()
    this.#watch?.onStance()
  }

  defer(): void {
    if (this.#defers || this.#watch === undefined) return
    this.#defers = true
    this.#watch.onStance()
  }

  onShutdown(hook: () => void | Promise<void>): () => void {
    requireFunction('onShutdown', hook)
    this.#hooks.add(hook)
    return () => void this.#hooks.delete(hook)
  }

  registerFunction(
    id: string | { id: string },
    handler: Handler<never>,
    options?: FunctionOptions<AnySchema>,
  ): FunctionRegistration {
    this.#requireOpen(typeof id === 'string' ? id : id?.id, 'registered')
    const registration = this.#tables.functions.register(id, handler, options)
    unwatched(() => this.#watch?.onRegistered())
    return {
      ...registration,
      replace: (...next) => {
        this.#requireOpen(registration.id, 'replaced')
        registration.replace(...next)
      },
    }
  }

  registerTrigger(input: TriggerInput): Registration {
    this.#requireOpen(input?.function_id, 'bound to a trigger')
    return this.#tables.triggers.register(input)
  }

  registerTriggerType(input: TriggerTypeInput, handler: TriggerTypeHandler): Registration {
    this.#requireOpen(input?.id, 'provided')
    return this.#tables.types.register(input, handler)
  }

  trigger<Only = unknown, Result = Only>(request: TriggerRequest): Promise<Result> {
    return (refuseCall(request?.function_id) ?? this.#parts.caller.call(request)) as Promise<Result>
  }

  createChannel(bufferSize?: number): Promise<Channel> {
    return openChannel(this, bufferSize)
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

  /** @throws InvocationError `closed`, as a call does then: nobody would ever hear of it */
  #requireOpen(id: string, done: string): void {
    if (this.state === 'closed') throw shutDownError(id, done)
  }

  async #stop(): Promise<void> {
    const { connection, caller, dispatch, readiness, flush } = this.#parts
    const hooks = Promise.allSettled([...this.#hooks].map(async (hook) => hook()))
    await within(HOOKS_WITHIN_MS, hooks)
    this.#stopping.abort(new Error('This worker is shutting down'))
    await within(HANDLERS_WITHIN_MS, dispatch.idle())
    flush()
    caller.close()
    readiness.onClosed()
    await connection.close()
    this.#listeners.clear()
  }

  #startWatch({ watchOwnership, version }: RegisterWorkerOptions): OwnershipWatch | undefined {
    if (!watchOwnership) return undefined
    const { registrations } = this.#tables
    const timings = { ...OWNERSHIP_TIMINGS, ...(watchOwnership === true ? {} : watchOwnership) }
    const { presence, wantedName } = this.#parts
    const name = () => presence.name
    const defers = () => this.#defers
    return startOwnershipWatch({ worker: this, registrations, name, wantedName, version, timings, defers })
  }
}
