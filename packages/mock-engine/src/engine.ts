import type { EngineFunction } from './bus/functions.ts'
import { requireFit } from './client/result-problem.ts'
import type { SeenFrame } from './connections/frame-tap.ts'
import type { Injected } from './faults/faults.ts'
import type { FaultRule } from './faults/rule.ts'
import type { Strike } from './faults/rulebook.ts'
import { toValue } from './json/build.ts'
import type { JsonText } from './json/json-text.ts'
import { parseJson } from './json/parse.ts'
import { type Lifecycle, type RestartOptions, startLifecycle } from './lifecycle.ts'
import { type MockEngineOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { type ReadNames, refuseUnread, requireListener, toGivenText } from './suggestions/mistyped.ts'
import { EngineError, toCallError } from './wire/engine-error.ts'

/** A running engine. */
export interface MockEngine extends AsyncDisposable {
  /** Address of the worker bus, `ws://HOST:PORT`. */
  readonly url: string
  /** Address of the HTTP port, `http://HOST:PORT`. */
  readonly httpUrl: string
  /** Address of the restricted listener, when there is one. */
  readonly restrictedUrl: string | undefined
  readonly port: number
  readonly httpPort: number
  /**
   * Calls a function as the engine itself does: the callee sees no `_caller_worker_id`.
   *
   * @returns the result, `undefined` when there is none.
   * @throws EngineError with `code` and `message` of the failure: those of the fault where the function threw one, else the engine's;
   *   `result_invalid` for a result that breaks the schema which its function was registered with, `serialization_error` for a payload that
   *   has no JSON form, `engine_down` while the engine is closed or restarting.
   *
   * @example
   * const order = await engine.call<Order>('orders::get', { order_id: 'ORD-1' })
   */
  call<Result = unknown>(functionId: string, payload?: unknown): Promise<Result>
  /** Shows every frame on the worker bus. @returns a function that ends it. */
  onFrame(listener: (frame: SeenFrame) => void): () => void
  /**
   * Makes something go wrong from now on.
   *
   * @returns a function that takes the rule back and says how often it has struck; `using` takes it back, too.
   * @throws FaultRuleError that says what would be right.
   *
   * @example
   * const lost = engine.inject({ fault: 'lose-result', function: 'orders::*', times: 1 })
   * lost.struck // 0
   * lost()
   */
  inject(rule: FaultRule): Injected
  /** Tells of every fault that strikes. @returns a function that ends it. */
  onFault(listener: (strike: Strike) => void): () => void
  /**
   * Cuts every connection and comes back on the same ports. Nothing that was registered or under way is left; faults and
   * listeners are.
   *
   * @throws PortTakenError when another process took a port in between; an Error for `lose` with a `dataDir`, a TypeError for an option that
   *   is not read.
   */
  restart(options?: RestartOptions): Promise<void>
  /** Cuts every connection, frees the ports and writes what is left of the state. */
  close(): Promise<void>
}

/**
 * Starts an engine in this process.
 *
 * @throws PortTakenError when another process has one of the ports, FaultRuleError for a fault that cannot be, TypeError for an option that is
 *   not read.
 *
 * @example
 * await using engine = await startMockEngine()
 * engine.url // 'ws://127.0.0.1:40123'
 */
export async function startMockEngine(options: MockEngineOptions = {}): Promise<MockEngine> {
  const resolved = resolveOptions(options)
  return toEngine(await startLifecycle(resolved), resolved)
}

function toEngine(lifecycle: Lifecycle, { host, strict }: ResolvedOptions): MockEngine {
  const { ports, faults, tap } = lifecycle
  const address = (scheme: string, port: number) => `${scheme}://${host}:${port}`
  return {
    url: address('ws', ports.bus),
    httpUrl: address('http', ports.http),
    restrictedUrl: ports.restricted === undefined ? undefined : address('ws', ports.restricted),
    port: ports.bus,
    httpPort: ports.http,
    async call<Result>(functionId: string, payload: unknown = {}) {
      if (!lifecycle.instance) throw new EngineError('engine_down', 'the engine is closed or restarting')
      requireId(functionId)
      const data = toData(payload)
      const { calls, functions } = lifecycle.instance.bus
      const promised = strict ? promisedBy(functions.get(functionId)) : undefined
      const { result, error } = await calls.ask({ functionId, data })
      if (error) throw toCallError(error)
      if (promised !== undefined) requireFit(functionId, promised, result)
      return toValue(result) as Result
    },
    onFrame(listener) {
      requireListener('onFrame', listener)
      return tap.watch(listener)
    },
    inject: (rule) => faults.inject(rule),
    onFault(listener) {
      requireListener('onFault', listener)
      return faults.watch(listener)
    },
    async restart(options = {}) {
      requireRestart(options)
      await lifecycle.restart(options)
    },
    close: () => lifecycle.close(),
    [Symbol.asyncDispose]: () => lifecycle.close(),
  }
}

function requireId(functionId: unknown): void {
  if (typeof functionId === 'string' && functionId !== '') return
  throw new TypeError(`call takes the id of a function first, such as 'orders::create', not ${toGivenText(functionId)}`)
}

function toData(payload: unknown): JsonText {
  if (payload instanceof Promise) throw new EngineError('serialization_error', 'the payload is a Promise: await it')
  const data = parseJson(toJson(payload) ?? '')
  if (data !== undefined) return data
  throw new EngineError('serialization_error', 'the payload has no JSON form the engine takes')
}

/** @throws EngineError for a circle and a BigInt */
function toJson(payload: unknown): string | undefined {
  try {
    return JSON.stringify(payload)
  } catch (error) {
    const [reason] = String(error).split('\n')
    throw new EngineError('serialization_error', `the payload has no JSON form: ${reason}`)
  }
}

const READ: ReadNames<RestartOptions> = { state: true, downMs: true }

function requireRestart(options: RestartOptions): void {
  refuseUnread('restart', options, READ, { keepState: 'state', dataDir: 'state' })
  const { state = 'keep' } = options
  if (state !== 'keep' && state !== 'lose') {
    throw new TypeError(`restart takes 'keep' or 'lose' as state, not ${toGivenText(state)}`)
  }
}

/** The schema of the results of a worker's function. */
function promisedBy(known: EngineFunction | undefined): JsonText | undefined {
  return known?.host.kind === 'worker' ? known.responseSchema : undefined
}
