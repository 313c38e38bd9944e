import type { Worker } from '@iii/sdk'

/** A function whose calls go on until they are let go. */
export interface HeldFunction {
  /** How many have begun. */
  running(): number
  /** Lets all of them come to their end, those that come later as well. */
  finish(): void
}

export function offerHeld(worker: Pick<Worker, 'registerFunction'>, id: string): HeldFunction {
  let finish: () => void = () => undefined
  const finished = new Promise<object>((resolve) => {
    finish = () => resolve({})
  })
  let begun = 0
  worker.registerFunction(id, () => {
    begun += 1
    return finished
  })
  return { running: () => begun, finish: () => finish() }
}
