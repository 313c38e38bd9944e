import { AsyncLocalStorage } from 'node:async_hooks'

/** Hears of the calls that are made from a piece of work. */
export interface CallWatch {
  /** @returns why the call must not be made; undefined lets it go. */
  onCall(functionId: string): Error | undefined
}

const storage = new AsyncLocalStorage<CallWatch | undefined>()
// A worker without functions that ask does not pay for following anything through promises.
let inUse = false

/** Runs `work` so that `watch` hears of every call that is made from it, also after it has gone through promises and timers. */
export function watchCalls<T>(watch: CallWatch, work: () => T): T {
  inUse = true
  return storage.run(watch, work)
}

/** Runs `work` so that nobody hears of its calls, for work that others have set off without meaning it. */
export function unwatched<T>(work: () => T): T {
  return inUse ? storage.run(undefined, work) : work()
}

/** Who watches over the present work. */
export function currentWatch(): CallWatch | undefined {
  return inUse ? storage.getStore() : undefined
}

/** The failure of a call that whoever watches over the present work has something against. */
export function refuseCall(functionId: string): Promise<never> | undefined {
  const reason = currentWatch()?.onCall(functionId)
  return reason && Promise.reject(reason)
}
