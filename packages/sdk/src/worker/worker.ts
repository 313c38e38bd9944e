import type { FunctionCaller, Handler } from '../engine/call.ts'
import type { RouteReach } from '../http/route-reach.ts'
import type { Logger } from '../log.ts'
import type { Ownership, OwnershipListener, OwnershipTimings } from '../ownership/ownership.ts'
import type { AnySchema, JsonSchema } from '../schema/json-schema.ts'
import type { Channel, ChannelReader, ChannelRef, ChannelWriter } from '../wire/channel.ts'
import type { ConnectionState, ConnectionTimings } from '../wire/connection.ts'
import type { OutboxLimits } from '../wire/outbox.ts'
import type { DeafnessTimings } from '../wire/readiness.ts'
import type { ReattachStore } from '../wire/reattach.ts'
import type { FunctionOptions, FunctionRegistration, PayloadOf, Registration, ResultOf } from './function.ts'
import type { Naming } from './presence.ts'
import type { TriggerConfigs } from './trigger-configs.ts'
import type { TriggerTypeHandler, TriggerTypeInput } from './trigger-types.ts'
import type { TriggerInput } from './triggers.ts'

/** How a worker presents itself to the engine and what it bears. */
export interface RegisterWorkerOptions {
  /** Shown by `engine::workers::list`. @default host name, process id, and a few random characters */
  name?: string | undefined
  /**
   * What to do where a name belongs to one live worker at a time, and another has it: `first` goes by one of its own (`NAME-` and eight
   * characters of {@link Worker.instance}) from then on, `own` does from the start, `exact` waits until it is free. @default 'first'
   */
  naming?: Naming | undefined
  /**
   * Where its name, functions, trigger types and triggers live, and its calls go, see `namespace` of a call. Engines before
   * 0.23 have one place for all. @default 'default'
   */
  namespace?: string | undefined
  /** One line, cut at 280 characters. */
  description?: string | undefined
  version?: string | undefined
  /** Deadline of a call that names none. @default 30_000 */
  callTimeoutMs?: number | undefined
  /** The largest message the engine may send us; a larger one costs the connection. @default 32 MiB */
  maxMessageBytes?: number | undefined
  /** Sent with the upgrade request, for an engine that authenticates workers. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Where the connection is remembered, so that the next process of this worker can have the engine end it. @default nowhere */
  reattach?: ReattachStore | undefined
  /** @default warnings and errors as JSON lines on stderr */
  log?: Logger | undefined
  /** What may wait while there is no connection. @default 1000 messages, 4 MiB */
  queue?: Partial<OutboxLimits> | undefined
  /** Pace of connecting and of noticing death. */
  timings?: Partial<ConnectionTimings & DeafnessTimings> | undefined
  /**
   * Sees to it that this worker's ids outlive another process that registers the same and leaves: see
   * {@link Worker.ownership}. @default false; `runWorker` sets it
   */
  watchOwnership?: boolean | Partial<OwnershipTimings> | undefined
  /**
   * Registers nothing that another worker serves, until {@link Worker.claim}: what is nobody's it takes all the same, as soon as that is
   * so. Needs `watchOwnership`. @default false
   */
  defers?: boolean | undefined
  /**
   * Whether the calls that a handler makes carry its trace on by themselves, through promises and timers. Node 20 and 22 follow each promise
   * for that, which takes a tenth of the processor time of a worker that does little else. One that says false hands on the `trace` of
   * its call where it wants it. @default true
   */
  followsTraces?: boolean | undefined
}

/** A process connected to an engine: it offers functions and calls those of others. */
export interface Worker extends FunctionCaller, AsyncDisposable {
  readonly url: string
  readonly state: ConnectionState
  /** The id of the current connection; another one after each reconnect. */
  readonly workerId: string | undefined
  /** Where its name and functions live; undefined for `default`. */
  readonly namespace: string | undefined
  /** Random, the same as long as this worker lives; in the metadata of everything it registers as `iii.instance`. */
  readonly instance: string
  /** Where this worker says what happens to it. */
  readonly log: Logger
  /** What this worker offers at the moment. */
  readonly functionIds: readonly string[]

  /**
   * Resolves when there is a connection and the engine has handled everything registered so far; for a worker that defers, also when it has
   * seen what others serve.
   * @param options without `timeoutMs` it waits as long as it takes; it rejects when the worker is shut down.
   */
  ready(options?: { timeoutMs?: number | undefined }): Promise<void>

  /** Tells each change of {@link Worker.state}. Returns how to stop listening. */
  onStateChange(listener: (state: ConnectionState) => void): () => void

  /** Whether calls of its functions arrive here, or at another process that registered the same later. Always `serving` unless watched. */
  readonly ownership: Ownership

  /** Tells each change of {@link Worker.ownership}. Returns how to stop listening. */
  onOwnershipChange(listener: OwnershipListener): () => void

  /**
   * Asks itself over the engine's HTTP port, by each of its http triggers; no handler is called.
   *
   * @throws InvocationError when the engine does not answer
   */
  reach(): Promise<RouteReach>

  /**
   * Registers everything, as a worker that does not defer to others: what another one has is this worker's from then on, with engine 0.23
   * when that one leaves.
   */
  claim(): void

  /**
   * From now on a worker that defers to others, see {@link RegisterWorkerOptions.defers}: what another one wants that does not defer is given
   * up to it. Until {@link Worker.claim}. Needs `watchOwnership`.
   */
  defer(): void

  /** Runs at the beginning of a shutdown, while calls still work. Returns how to take it back. */
  onShutdown(hook: () => void | Promise<void>): () => void

  /**
   * Offers a function. Payloads are checked against a zod `request_format`, which types the handler's argument; without one they come as
   * they are. A zod `response_format` types its result.
   *
   * @throws Fault `conflict` for an id this worker offers already, `invalid_input` for what cannot be sent. InvocationError `closed`, as
   * a call and the two below, when this worker was shut down.
   */
  registerFunction<Payload, Request extends AnySchema = JsonSchema, Response extends AnySchema = JsonSchema>(
    id: string | { id: string },
    handler: Handler<PayloadOf<Request, Payload>, ResultOf<Response>>,
    options?: FunctionOptions<Request, Response>,
  ): FunctionRegistration

  /**
   * Asks the engine to call a function when something happens. A refusal comes later, by log and `onError`. After {@link ready} the log
   * warns, once, of a type that nobody provides, unless it is `optional`, and of a function that nobody has.
   *
   * @throws Fault `invalid_input` for a config that the engine would not survive, e.g. a malformed `api_path`.
   */
  registerTrigger<Type extends keyof TriggerConfigs | (string & {})>(input: TriggerInput<Type>): Registration

  /** Provides a type of trigger that others can bind functions to. */
  registerTriggerType(input: TriggerTypeInput, handler: TriggerTypeHandler): Registration

  /** Makes a channel between two workers. @param bufferSize items the engine keeps, 1 to 1024, @default 64 */
  createChannel(bufferSize?: number): Promise<Channel>
  openChannelWriter(ref: ChannelRef): ChannelWriter
  openChannelReader(ref: ChannelRef): ChannelReader

  /** Gives running handlers a second to finish, then leaves; done within two seconds. */
  shutdown(): Promise<void>
}
