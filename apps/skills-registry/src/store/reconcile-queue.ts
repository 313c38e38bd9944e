import { type Logger, messageOf } from '@iii/sdk'
import { createLimit } from './concurrency.ts'

/** Records that somebody has to look at: what the index says of them may be wrong. */
export interface ReconcileQueue {
  /** Looks at a record soon; one that waits already is looked at once. */
  add(key: string): void
  /** Looks again at those that could not be looked at. */
  retry(): void
  stop(): void
}

/** So many are looked at side by side. */
const AT_ONCE = 16
/** So many may wait; more are found when they are read. */
const MAX_WAITING = 20_000

/** @param reconcile resolves when the index is right. */
export function createReconcileQueue(reconcile: (key: string) => Promise<void>, log: Logger): ReconcileQueue {
  const limit = createLimit(AT_ONCE)
  const waiting = new Set<string>()
  const failed = new Set<string>()
  let isStopped = false

  async function run(key: string): Promise<void> {
    waiting.delete(key)
    if (isStopped) return
    try {
      await reconcile(key)
    } catch (error) {
      failed.add(key)
      log.debug({ key, reason: messageOf(error) }, 'will look again')
    }
  }

  function add(key: string): void {
    failed.delete(key)
    if (isStopped || waiting.has(key)) return
    if (waiting.size + failed.size >= MAX_WAITING) {
      log.warn({ key }, `more than ${MAX_WAITING} changes at once: the rest is seen when it is read`)
      return
    }
    waiting.add(key)
    void limit(() => run(key))
  }

  return {
    add,
    retry() {
      for (const key of [...failed]) add(key)
    },
    stop() {
      isStopped = true
    },
  }
}
