import { within } from '@iii/sdk'
import { createLooks, type Looks, type RefreshLook } from './looks.ts'

/** Decides when something that is kept from elsewhere is looked at again. One look at a time, one for a burst of changes. */
export interface Refresher {
  /** Something changed: a glance when the burst is over, and at everything as soon as the last such look is paid for. */
  soon(): void
  /** Looks at everything now; a look that is under way may be too old, so another one follows it. @throws what the look throws */
  now(): Promise<void>
  /**
   * Somebody wants to use what is kept. Waits for a look when there was none yet, and a little when the last one is too old.
   *
   * @returns the error of the last look, undefined when it went well
   */
  upToDate(): Promise<unknown>
  close(): void
}

export interface RefresherOptions {
  readonly settleMs: number
  /**
   * How old the last glance may be when somebody uses what is kept, and how often one is made while `inUse`. For a while after each use one is
   * made a little sooner than that, so that whoever comes again does not wait for it.
   */
  readonly freshMs: number
  /** The same for the last look at everything, while there is any use; more where such looks take long. */
  readonly checkMs: number
  /** Is it to be kept up to date, although nobody asks for it? */
  readonly inUse?: (() => boolean) | undefined
  /** Told of a look that failed, once for as long as each fails in the same way. */
  readonly onError: (error: unknown) => void
}

const RETRY_MS = 1_000
/** Whoever comes after a pause waits so long for a new look before the old one has to do. */
const PATIENCE_MS = 1_000
/** Clients list one thing after the other, and agents search again and again. */
const USED_MS = 10_000
/** When a glance is made ahead of its time, in parts of `freshMs`. */
const AHEAD = 0.75
/** A glance that takes a larger part of `freshMs` than that is made for those alone who ask, since it costs an engine of many functions as much. */
const CHEAP = 0.1
/** Looks at everything that nobody asks for take no more than such a part of the time: each takes the engine the longer the more there is. */
const SHARE = 0.1

export function createRefresher(look: RefreshLook, options: RefresherOptions): Refresher {
  const { settleMs, freshMs, checkMs, inUse, onError } = options
  let timer: NodeJS.Timeout | undefined
  let usedAt = Number.NEGATIVE_INFINITY
  /** Nobody waits a second time for an engine that did not answer in time. */
  let isPatient = true
  let isCheap = true
  let closed = false
  const isUsed = () => isCheap && performance.now() - usedAt <= USED_MS
  const toPauseMs = () => (isUsed() ? freshMs * AHEAD : freshMs)
  const looks = createLooks(look, {
    onError(error) {
      // A look that the end cuts off is no failure.
      if (closed) return
      // An engine that is away may be away for days.
      if (String(error) !== String(looks.failure())) onError(error)
      schedule(RETRY_MS)
    },
    onOver(kind, tookMs) {
      if (closed) return
      isPatient = looks.failure() === undefined
      if (kind === 'glance') isCheap = tookMs <= freshMs * CHEAP
      else if (isPatient) checks.over(tookMs)
      pulse.beatIn(toPauseMs() - Math.min(tookMs, looks.ageOf('glance')))
    },
  })
  const checks = createChecks(looks)

  function schedule(delayMs: number): void {
    if (closed || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      if (!checks.soon()) looks.anew().catch(ignore)
    }, delayMs).unref()
  }

  const regular = setInterval(() => {
    if (inUse?.() === true || performance.now() - usedAt <= checkMs) checks.soon()
  }, checkMs).unref()
  const pulse = createPulse(toPauseMs, () => {
    const isDue = (isUsed() || inUse?.() === true) && !looks.isGlancing() && timer === undefined
    if (isDue) looks.join('glance').catch(ignore)
    return isDue
  })

  return {
    soon: () => schedule(settleMs),
    now: looks.now,
    async upToDate() {
      usedAt = performance.now()
      const isOld = looks.ageOf('full') > checkMs + PATIENCE_MS && checks.isDue()
      const kind = isOld ? 'full' : 'glance'
      const isFirst = looks.ageOf('glance') === Number.POSITIVE_INFINITY
      if (looks.ageOf(kind) <= freshMs) return looks.failure()
      const over = looks.join(kind).catch(ignore)
      if (isFirst) await over
      else if (isPatient) {
        await within(PATIENCE_MS, over)
        isPatient &&= looks.ageOf('glance') <= freshMs + PATIENCE_MS
      }
      return looks.failure()
    },
    close() {
      closed = true
      clearTimeout(timer)
      pulse.stop()
      checks.stop()
      clearInterval(regular)
    },
  }
}

/** Looks at everything that nobody asks for: the regular ones, and those that follow from what has changed. */
function createChecks(looks: Looks) {
  let timer: NodeJS.Timeout | undefined
  let notBefore = Number.NEGATIVE_INFINITY
  let isOwed = false

  /** Who finds one under way comes after it. */
  function begin(): void {
    timer = undefined
    if (looks.isFull()) return
    isOwed = false
    looks.now().catch(ignore)
  }

  function plan(): void {
    isOwed = true
    timer ??= setTimeout(begin, Math.max(notBefore - performance.now(), 0)).unref()
  }

  const isDue = () => !looks.isFull() && performance.now() >= notBefore

  return {
    /** May one begin now? */
    isDue,
    /** @returns whether it begins now */
    soon(): boolean {
      const isNow = isDue()
      if (isNow) looks.now().catch(ignore)
      else plan()
      return isNow
    },
    over(tookMs: number): void {
      notBefore = performance.now() + tookMs / SHARE
      if (isOwed) plan()
    },
    stop: () => clearTimeout(timer),
  }
}

/**
 * Beats each time that such a pause has passed, or what it was told instead: whatever is done meanwhile by others puts the next beat off.
 *
 * @param beat whether there was something to do, which then tells when to beat again
 */
function createPulse(toPauseMs: () => number, beat: () => boolean) {
  let timer: NodeJS.Timeout | undefined

  function beatIn(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (!beat()) beatIn(toPauseMs())
    }, ms)
    timer.unref()
  }

  beatIn(toPauseMs())
  return {
    beatIn,
    stop: () => clearTimeout(timer),
  }
}

/** The error was told to `onError` already. */
function ignore(): undefined {
  return undefined
}
