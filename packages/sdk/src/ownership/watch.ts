import { DEFAULT_NAMESPACE } from '@iii/protocol'
import type { AskEngine } from '../engine/call.ts'
import { within } from '../pause.ts'
import { type Cards, createCards } from './card.ts'
import { createDecision } from './decision.ts'
import { createHoldings } from './holdings.ts'
import { createLiveness, type Liveness } from './liveness.ts'
import { createLook } from './look.ts'
import type { Ownership, OwnershipListener, OwnershipTimings, Registrations, WatchedWorker } from './ownership.ts'
import { createPace, type Pace } from './pace.ts'
import { takeNameBack, type WantedName } from './plain-name-return.ts'
import { createRounds, type Rounds } from './rounds.ts'
import { createRouteCheck } from './routes.ts'
import { createStanding, type Standing } from './standing.ts'

/** Sees to it that what this worker registered does not go away with another process that registered the same. */
export interface OwnershipWatch {
  readonly ownership: Ownership
  /** Returns how to stop listening. */
  onChange(listener: OwnershipListener): () => void
  /** Whether a function may be registered once more: as far as is known, nobody else has it, or it is seen to be ours where others go first. */
  mayRepeat(id: string): boolean
  /** A function was registered, or replaced. */
  onRegistered(): void
  /** The engine left a function to somebody who has it already. */
  onRefused(): void
  /** The worker defers to nobody any more, or to others from now on. */
  onStance(): void
  /** Resolves when a worker that defers has registered what is nobody's, or has seen that somebody has it, or that it cannot know. */
  decided(timeoutMs: number | undefined): Promise<void>
}

export interface WatchOptions {
  worker: WatchedWorker
  registrations: Registrations
  name(): string
  wantedName: WantedName
  version: string | undefined
  timings: OwnershipTimings
  /** Does the worker take nothing that others have? */
  defers(): boolean
}

/** How many times as long a process is asked and waited for that keeps what it has, whether it answers or not. */
const PATIENCE = 4

/**
 * Watches over the registrations of a worker: what belongs to nobody is registered again at once, what belongs to another
 * live process is left to it. A function is gone when its owner leaves, so one that is there with the nonce of somebody
 * else has a live owner who came later.
 */
export function startOwnershipWatch(options: WatchOptions): OwnershipWatch {
  const { worker, registrations, timings, defers } = options
  const { log, namespace = DEFAULT_NAMESPACE } = worker
  const { ask, answerMs } = createTimedAsk(worker, timings)
  const cards = createCards({
    ...options,
    namespace,
    ask,
    onWorkers: (left) => (left ? pace.now() : pace.arrived(timings.afterArrivalMs)),
  })
  const decision = createDecision()
  const holdings = createHoldings(registrations)
  const { isRefused } = registrations
  const standing = createStanding({ log, listenersMs: timings.listenersMs, defers, isRefused, readCard: cards.read })
  const rounds: Rounds = createRounds({
    instance: worker.instance,
    registrations,
    look: createLook(ask, worker.instance, namespace),
    holdings,
    cards,
    standing,
    routes: createRouteCheck({ ask, engineUrl: worker.url, registrations, log, requestMs: timings.askTimeoutMs }),
    takeNameBack: () => takeNameBack(ask, options.wantedName, namespace),
    log,
    ...timings,
    defers,
    decision,
    lookAgain: (delayMs) => pace.full(delayMs),
    isSilent: (instance): boolean => liveness.isSilent(instance),
  })
  const liveness = watchOwner({ ...options, cards, standing, lookNow: () => pace.now() })
  const pace: Pace = createPace({
    ...timings,
    look: rounds.run,
    answerMs,
    onError(error) {
      log.debug({ reason: String(error) }, 'the engine did not tell whose the functions are')
      decision.giveUp()
    },
    size: registrations.functionCount,
  })

  let noticing = false

  worker.onStateChange((state) => {
    if (state === 'connected') return rounds.start()
    rounds.end()
    if (state === 'closed') decision.giveUp()
    if (state !== 'closed') return pace.pause()
    pace.stop()
    liveness.stop()
  })

  return {
    get ownership() {
      return standing.current
    },
    async decided(timeoutMs) {
      if (defers()) await (timeoutMs === undefined ? decision.made() : within(timeoutMs, decision.made()))
    },
    onChange: standing.onChange,
    mayRepeat: (id) => (defers() ? holdings.isOurs(id) : holdings.lost([id]).size === 0),
    onRefused: rounds.onRefused,
    onStance: rounds.onStance,
    onRegistered() {
      decision.renew()
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

/** Asks the engine, and tells the longest that it took, answered or not, since that was told last. */
function createTimedAsk(worker: WatchedWorker, { askTimeoutMs: timeoutMs }: OwnershipTimings) {
  let longestMs = 0
  const ask: AskEngine = async (function_id, payload) => {
    const askedAt = performance.now()
    try {
      return await worker.trigger({ function_id, payload, timeoutMs })
    } finally {
      longestMs = Math.max(longestMs, performance.now() - askedAt)
    }
  }
  function answerMs(): number {
    const told = longestMs
    longestMs = 0
    return told
  }
  return { ask, answerMs }
}

interface OwnerWatchOptions extends Pick<WatchOptions, 'worker' | 'registrations' | 'timings' | 'defers'> {
  cards: Pick<Cards, 'probe'>
  standing: Standing
  lookNow(): void
}

/** On standby, asks whoever serves whether it still does. */
function watchOwner(options: OwnerWatchOptions): Liveness {
  const { worker, registrations, timings, defers, cards, standing, lookNow } = options
  const liveness = createLiveness({
    ...timings,
    patience: () => (defers() || standing.current.lost.some(registrations.isRefused) ? PATIENCE : 1),
    isConnected: () => worker.state === 'connected',
    engineAnswers: () => worker.ready({ timeoutMs: timings.askTimeoutMs }),
    probe: cards.probe,
    onSilent(owner, since) {
      standing.hear(owner, since)
      lookNow()
    },
    onHeard: (owner) => standing.hear(owner, undefined),
  })
  standing.onChange(({ state, owner }) => liveness.watch(state === 'standby' ? owner : undefined))
  return liveness
}
