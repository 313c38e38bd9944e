import { AsyncLocalStorage } from 'node:async_hooks'
import { Fault } from '@iii/protocol'

/** The W3C trace context of the call being handled, as the engine passed it on. */
export interface Trace {
  traceparent?: string | undefined
  baggage?: string | undefined
}

const traces = new AsyncLocalStorage<Trace>()
// An engine without observability sends no traces, and then nobody pays for following them through promises.
let isTraced = false

/** Runs `work` so that every call made from it carries `trace` on. */
export function withTrace<T>(trace: Trace, work: () => T): T {
  if (!trace.traceparent && !trace.baggage) return isTraced ? traces.run({}, work) : work()
  isTraced = true
  return traces.run(trace, work)
}

/** What the call that is handled belongs to; undefined outside of one, and while no engine has sent any. */
export function currentTrace(): Trace | undefined {
  return isTraced ? traces.getStore() : undefined
}

/** Hears of the calls that are made from a piece of work. */
export interface CallWatch {
  /** @returns why the call must not be made; undefined lets it go. */
  onCall(functionId: string): Error | undefined
}

const watches = new AsyncLocalStorage<CallWatch | undefined>()
// A worker without functions that ask does not pay for following anything through promises.
let isWatched = false

/** Runs `work` so that `watch` hears of every call that is made from it, also after it has gone through promises and timers. */
export function watchCalls<T>(watch: CallWatch, work: () => T): T {
  isWatched = true
  return watches.run(watch, work)
}

/** Runs `work` so that nobody hears of its calls, for work that others have set off without meaning it. */
export function unwatched<T>(work: () => T): T {
  return isWatched ? watches.run(undefined, work) : work()
}

/** Who watches over the present work. */
export function currentWatch(): CallWatch | undefined {
  return isWatched ? watches.getStore() : undefined
}

/** The failure of a call that whoever watches over the present work has something against. */
export function refuseCall(functionId: string): Promise<never> | undefined {
  const reason = currentWatch()?.onCall(functionId)
  return reason && Promise.reject(reason)
}

/** So many times a call may be led on to another one by what resolves addresses, prompts and MCP messages. */
export const MAX_HOPS = 4

/** The W3C baggage entry that counts them; baggage goes with every call made while another one is handled. */
const ENTRY = 'iii.mcp.hops'

/**
 * Runs `work` as one step further on somebody's behalf: for a worker that calls a function which a text, an address or a message names,
 * and which may lead back here. The calls made from `work` carry the count on, through every worker that passes its trace context on.
 *
 * @param what is refused when there were {@link MAX_HOPS} steps already
 * @throws Fault `forbidden` then; `work` does not run.
 *
 * @example
 * countHop('orders::report', () => worker.trigger({ function_id: 'orders::report' }))
 */
export function countHop<T>(what: string, work: () => T): T {
  return withTrace(toNextHop(what, currentTrace()), work)
}

/**
 * The trace context of one step further, for a worker that hands traces on itself.
 *
 * @throws Fault as {@link countHop}
 */
export function toNextHop(what: string, trace: Trace | undefined): Trace {
  const hops = readHops(trace?.baggage)
  if (hops >= MAX_HOPS) {
    const behind = `this call was led on ${MAX_HOPS} times already, from one address, prompt or MCP message to the next`
    throw new Fault('forbidden', `${what} is refused: ${behind}, and ${MAX_HOPS} is the limit. Does it lead to itself?`)
  }
  return { ...trace, baggage: withHops(trace?.baggage, hops + 1) }
}

/** How many steps a baggage tells of. Whoever writes something else than a number there gets no further. */
export function readHops(baggage: string | undefined): number {
  if (!baggage?.includes(ENTRY)) return 0
  const counts = baggage.split(',').flatMap((entry) => (keyOf(entry) === ENTRY ? [toCount(entry)] : []))
  return Math.max(0, ...counts)
}

/** Other entries stay; ours is the first, because an engine drops what is beyond 64 entries. */
export function withHops(baggage: string | undefined, hops: number): string {
  const others = (baggage ?? '').split(',').filter((entry) => entry.trim() !== '' && keyOf(entry) !== ENTRY)
  return [`${ENTRY}=${hops}`, ...others].join(',')
}

function keyOf(entry: string): string {
  return entry.split('=', 1)[0]?.trim() ?? ''
}

function toCount(entry: string): number {
  const [value = ''] = entry.slice(entry.indexOf('=') + 1).split(';', 1)
  return /^\d{1,3}$/.test(value.trim()) ? Number(value) : MAX_HOPS
}
