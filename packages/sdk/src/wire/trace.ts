import { AsyncLocalStorage } from 'node:async_hooks'

/** The W3C trace context of the call being handled, as the engine passed it on. */
export interface Trace {
  traceparent?: string | undefined
  baggage?: string | undefined
}

const storage = new AsyncLocalStorage<Trace>()
// An engine without observability sends no traces, and then nobody pays for following them through promises.
let inUse = false

/** Runs `work` so that every call made from it carries `trace` on. */
export function withTrace<T>(trace: Trace, work: () => T): T {
  if (!trace.traceparent && !trace.baggage) return inUse ? storage.run({}, work) : work()
  inUse = true
  return storage.run(trace, work)
}

export function currentTrace(): Trace | undefined {
  return inUse ? storage.getStore() : undefined
}
