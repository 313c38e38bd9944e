import type { Worker } from '../worker/worker.ts'
import { createCards } from './card.ts'
import { createHoldings } from './holdings.ts'
import { createLook } from './look.ts'
import type { Ask, Ownership, OwnershipListener, OwnershipTimings, Registrations } from './ownership.ts'
import { createPace, type Pace } from './pace.ts'
import { createRounds, type Rounds } from './rounds.ts'
import { createRouteCheck } from './routes.ts'
import { createStanding } from './standing.ts'

/** Sees to it that what this worker registered does not go away with another process that registered the same. */
export interface OwnershipWatch {
  readonly ownership: Ownership
  /** Returns how to stop listening. */
  onChange(listener: OwnershipListener): () => void
  /** A function was registered. */
  onRegistered(): void
}

export interface WatchOptions {
  worker: Worker
  registrations: Registrations
  name: string
  version: string | undefined
  timings: OwnershipTimings
}

/**
 * Watches over the registrations of a worker: what belongs to nobody is registered again at once, what belongs to another
 * live process is left to it. A function is gone when its owner leaves, so one that is there with the nonce of somebody
 * else has a live owner who came later.
 */
export function startOwnershipWatch(options: WatchOptions): OwnershipWatch {
  const { worker, registrations, timings } = options
  const { log } = worker
  const ask: Ask = (function_id, payload) => worker.trigger({ function_id, payload, timeoutMs: timings.askTimeoutMs })
  const cards = createCards({
    ...options,
    ask,
    onWorkers: (left) => (left ? pace.now() : pace.arrived(timings.afterArrivalMs)),
  })
  const standing = createStanding({ log, listenersMs: timings.listenersMs, readCard: cards.read })
  const rounds: Rounds = createRounds({
    instance: worker.instance,
    registrations,
    look: createLook(ask, worker.instance),
    holdings: createHoldings(),
    cards,
    standing,
    routes: createRouteCheck({ ask, engineUrl: worker.url, registrations, log, requestMs: timings.askTimeoutMs }),
    log,
    claimMs: timings.claimMs,
    afterArrivalMs: timings.afterArrivalMs,
    lookAgain: (delayMs) => pace.full(delayMs),
  })
  const pace: Pace = createPace({
    ...timings,
    look: rounds.run,
    onError: (error) => log.debug({ reason: String(error) }, 'the engine did not tell whose the functions are'),
    size: registrations.functionCount,
  })

  let noticing = false

  worker.onStateChange((state) => {
    if (state === 'connected') return rounds.start()
    rounds.end()
    if (state === 'closed') pace.stop()
    else pace.pause()
  })

  return {
    get ownership() {
      return standing.current
    },
    onChange: standing.onChange,
    onRegistered() {
      // They come in crowds.
      if (noticing) return
      noticing = true
      setImmediate(() => {
        noticing = false
        rounds.onRegistered()
      })
    },
  }
}
