import { Fault } from '@iii/protocol'
import { type CallWatch, currentWatch, watchCalls } from '../engine/call-context.ts'
import { type Memory, toKept } from './memory.ts'

/** What is done once in all runs of a function. */
export interface Once {
  /** How many works of it are going on. */
  readonly working: number
  /** Does the work, or answers what it gave in this run or in one before. */
  run<T>(key: string, work: () => T | Promise<T>): Promise<T>
}

const ONCE_TAKES = "once takes a name and then the work: once('ids', () => …)"

/** Within {@link Once} everything may be called: it is not repeated. */
const FREE: CallWatch = { onCall: () => undefined }

export function isWithinOnce(): boolean {
  return currentWatch() === FREE
}

/**
 * @param isForgotten tells that works of an earlier run may be missing from `memory`.
 * @param onDone is told that a work has ended, well or badly.
 */
export function createOnce(memory: Memory, isForgotten: () => boolean, onDone: () => void): Once {
  const going = new Map<string, Promise<unknown>>()
  let working = 0

  async function start<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    working++
    try {
      const value = toKept(await watchCalls(FREE, work), key)
      memory.done.set(key, value)
      return value
    } finally {
      working--
      onDone()
    }
  }

  return {
    get working() {
      return working
    },
    async run<T>(key: string, work: () => T | Promise<T>): Promise<T> {
      if (typeof key !== 'string' || typeof work !== 'function') throw new Fault('internal', ONCE_TAKES)
      if (memory.done.has(key)) return memory.done.get(key) as T
      const before = going.get(key)
      if (before !== undefined) return (await before) as T
      if (isForgotten()) throw stateIsMissing(key)
      const run = start(key, work)
      going.set(key, run)
      try {
        return await run
      } finally {
        going.delete(key)
      }
    },
  }
}

function stateIsMissing(key: string): Fault {
  const text = `The answers came without the request state of their questions, so nobody knows whether "${key}" was done already`
  return new Fault('invalid_input', `${text}; send it back unchanged`)
}
