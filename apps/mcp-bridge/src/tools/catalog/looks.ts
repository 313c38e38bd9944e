/** `glance`: one question to the engine, which tells most of what changes. `full`: a glance, and then everything. */
export type RefreshKind = 'glance' | 'full'

/** @param pause to be waited for when the glance of a full look is over, and before each part of the rest: another glance may be due */
export type RefreshLook = (kind: RefreshKind, pause: () => Promise<void>) => Promise<void>

export interface LooksOptions {
  onError(error: unknown): void
  /** Not told of the glance that a full look begins with. */
  onOver(kind: RefreshKind, tookMs: number): void
}

/** One look at a time; a glance does not wait until a full one is over, which takes the longer the more there is. */
export interface Looks {
  /** Is a full one under way? */
  isFull(): boolean
  /** Is a glance under way, or the one of a full look? */
  isGlancing(): boolean
  failure(): unknown
  /** Since it began; that of a full look counts as a glance. */
  ageOf(kind: RefreshKind): number
  /** The one that is under way, or else a new one. */
  join(kind: RefreshKind): Promise<void>
  /** A glance that begins now, or as soon as it can. */
  anew(): Promise<void>
  /** A full one that begins now, or as soon as that under way is over. */
  now(): Promise<void>
}

export function createLooks(look: RefreshLook, { onError, onOver }: LooksOptions): Looks {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let failure: unknown
  const lookedAt = { glance: Number.NEGATIVE_INFINITY, full: Number.NEGATIVE_INFINITY }
  const full = createFullLook(look, {
    onGlanced(startedAt) {
      lookedAt.glance = startedAt
    },
    onOver,
  })

  async function run(kind: RefreshKind): Promise<void> {
    const startedAt = performance.now()
    try {
      await (kind === 'full' ? full.run() : look('glance', noPause))
      if (kind === 'full') lookedAt.full = startedAt
      else lookedAt.glance = startedAt
      failure = undefined
    } catch (error) {
      onError(error)
      failure = error
      throw error
    } finally {
      running = undefined
      onOver(kind, performance.now() - startedAt)
      full.end()?.settle(start('glance'))
    }
  }

  function start(kind: RefreshKind): Promise<void> {
    running = run(kind)
    return running
  }

  function join(kind: RefreshKind): Promise<void> {
    if (running === undefined) return start(kind)
    return kind === 'glance' && full.isRunning() ? full.glance() : running
  }

  return {
    isFull: full.isRunning,
    isGlancing: () => running !== undefined && !full.isBetween(),
    failure: () => failure,
    ageOf: (kind) => performance.now() - lookedAt[kind],
    join,
    anew() {
      const follow = () => join('glance')
      return running === undefined || full.isBetween() ? follow() : join('glance').then(follow, follow)
    },
    now() {
      // A glance that was waiting too may have come first.
      const follow = (): Promise<void> => (running === undefined ? start('full') : running.then(follow, follow))
      if (running === undefined) return follow()
      next ??= follow().finally(() => {
        next = undefined
      })
      return next
    },
  }
}

/** @param told of each glance that is over: the first is its own */
function createFullLook(
  look: RefreshLook,
  told: Pick<LooksOptions, 'onOver'> & { onGlanced(startedAt: number): void },
) {
  /** The glance that is under way or asked for. */
  let glance: Deferred | undefined
  let isRunning = false

  async function glanceBetween(asked: Deferred): Promise<void> {
    const startedAt = performance.now()
    const over = look('glance', noPause)
    asked.settle(over)
    await over.finally(() => {
      glance = undefined
    })
    told.onGlanced(startedAt)
    told.onOver('glance', performance.now() - startedAt)
  }

  async function run(): Promise<void> {
    const startedAt = performance.now()
    const own = createDeferred()
    glance = own
    isRunning = true

    async function pause(): Promise<void> {
      if (glance === own) {
        told.onGlanced(startedAt)
        own.settle(Promise.resolve())
        glance = undefined
      }
      // One at most: where changes never end, the rest goes on all the same.
      if (glance !== undefined) await glanceBetween(glance)
    }

    try {
      await look('full', pause)
      await pause()
    } catch (error) {
      glance?.settle(Promise.reject(error))
      glance = undefined
      throw error
    }
  }

  return {
    run,
    /** @returns the glance that was asked for and not begun */
    end(): Deferred | undefined {
      const asked = glance
      glance = undefined
      isRunning = false
      return asked
    },
    isRunning: () => isRunning,
    /** Is its own glance over, and none asked for? */
    isBetween: () => isRunning && glance === undefined,
    glance(): Promise<void> {
      glance ??= createDeferred()
      return glance.over
    },
  }
}

async function noPause(): Promise<void> {
  // There is no rest.
}

/** What somebody waits for before it has begun. */
interface Deferred {
  readonly over: Promise<void>
  settle(outcome: Promise<void>): void
}

function createDeferred(): Deferred {
  let settle: Deferred['settle'] = () => undefined
  const over = new Promise<void>((resolve) => {
    settle = resolve
  })
  // Nobody need wait for it.
  over.catch(() => undefined)
  return { over, settle }
}
