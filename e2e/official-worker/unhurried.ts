import { setTimeout as pause } from 'node:timers/promises'
import type { IIIClient } from 'iii-sdk'

/** Longer than an engine needs from handing a call out to being ready for its answer. */
const A_MOMENT_MS = 5

/**
 * Lets every function take a moment. A real one does, but these have nothing to do, and engine 0.22.1 now and then loses
 * an answer that comes at once. The official SDK sends it only once.
 */
export function unhurried(iii: IIIClient): IIIClient {
  const register = iii.registerFunction.bind(iii)
  iii.registerFunction = (id, handler, options) => {
    if (typeof handler !== 'function') return register(id, handler, options)
    const takeAMoment: typeof handler = async (data, metadata) => {
      await pause(A_MOMENT_MS)
      return await handler(data, metadata)
    }
    return register(id, takeAMoment, options)
  }
  return iii
}
