import type { Worker } from '@iii/sdk'
import { createRecent } from './recent.ts'
import type { ChangeEvent } from './replica.ts'

/**
 * Tells subscribers of changes, as long as it is this registry that serves them. On standby another one does; when that one goes away, what
 * it may not have got round to is told here.
 */
export interface ChangeOutbox {
  announce(change: ChangeEvent): void
  stop(): void
}

/** A registry that went away told everybody of what is older than this, in milliseconds. */
const UNTOLD_MS = 60_000
const MAX_UNTOLD = 20_000

export function createChangeOutbox(
  worker: Pick<Worker, 'ownership' | 'onOwnershipChange'>,
  tell: (change: ChangeEvent) => void,
): ChangeOutbox {
  const untold = createRecent<ChangeEvent>({ ms: UNTOLD_MS, max: MAX_UNTOLD })
  let isStopped = false

  const ignore = worker.onOwnershipChange(({ state }) => {
    if (state !== 'serving') return
    for (const [key, change] of untold.entries()) {
      untold.forget(key)
      tell(change)
    }
  })

  return {
    announce(change) {
      if (isStopped) return
      if (worker.ownership.state === 'serving') tell(change)
      else untold.note(change.key, { ...change, changed: change.changed || untold.get(change.key)?.changed === true })
    },
    stop() {
      isStopped = true
      ignore()
    },
  }
}
