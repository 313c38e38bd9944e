import { AsyncLocalStorage } from 'node:async_hooks'

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
