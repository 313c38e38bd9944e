import type { Logger } from '../log.ts'
import { summarise } from '../ownership/standing-text.ts'

/** Says of functions that another worker has already whose they are: once of all that are refused together. */
export type Refusals = (functionId: string, ownerWorkerId: string | undefined) => void

const TOGETHER_MS = 100

export function createRefusals(log: Logger): Refusals {
  const waiting = new Map<string, string[]>()

  function tell(): void {
    for (const [owner, ids] of waiting) {
      const what = summarise(ids)
      if (owner === '') log.error(`the engine keeps ${what} for itself; give it another id`)
      else {
        const text = `another live worker (id ${owner}) has ${what} already and gets the calls, so this worker is not called there. Stop one of them, or give the functions other ids`
        log.warn({ owner_worker_id: owner, functions: ids.length }, text)
      }
    }
    waiting.clear()
  }

  return (functionId, owner = '') => {
    if (waiting.size === 0) setTimeout(tell, TOGETHER_MS).unref()
    const ids = waiting.get(owner) ?? []
    ids.push(functionId)
    waiting.set(owner, ids)
  }
}
