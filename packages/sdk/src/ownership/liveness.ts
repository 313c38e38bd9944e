import { setTimeout as pause } from 'node:timers/promises'
import { InvocationError } from '../engine/invocation-error.ts'
import type { Owner } from './ownership.ts'

/**
 * Asks the process that has what is ours whether it still answers. That it is connected does not tell: one that was stopped, or whose
 * network is gone without a word, is connected for as long as TCP takes it to be.
 */
export interface Liveness {
  /** From now on asks this process, or nobody. */
  watch(owner: Owner | undefined): void
  /** Whether this process was asked and has not answered since. */
  isSilent(instance: string | undefined): boolean
  stop(): void
}

export interface LivenessOptions {
  /** Between an answer and the next question. */
  probeEveryMs: number
  /** An answer takes no longer than this. */
  silentAfterMs: number
  /** How many times as long everything takes now. */
  patience(): number
  isConnected(): boolean
  /** Resolves when the engine has answered this process. */
  engineAnswers(): Promise<unknown>
  /** Asks this process for a sign of life. @throws InvocationError */
  probe(instance: string, timeoutMs: number): Promise<unknown>
  onSilent(owner: Owner, since: Date): void
  onHeard(owner: Owner): void
}

/** A question stays out as long as this: whoever is woken up answers it, and one that is not asked again fills no queue. */
const PROBE_TIMEOUT_MS = 60_000
/** Time is waited in so many parts: one in which this process itself was asleep, or busy, is only one. */
const PARTS = 5

export function createLiveness(options: LivenessOptions): Liveness {
  const { probeEveryMs, silentAfterMs, patience, isConnected, engineAnswers, probe, onSilent, onHeard } = options
  const silent = new Set<string>()
  let target: Owner | undefined
  let next: NodeJS.Timeout | undefined

  function askLater(owner: Owner, delayMs = probeEveryMs * patience()): void {
    clearTimeout(next)
    if (target === owner) next = setTimeout(() => void ask(owner), delayMs).unref()
  }

  /** Whether nothing came in time, though everything in between works. */
  async function isOverdue(isOver: () => boolean): Promise<boolean> {
    const ms = silentAfterMs * patience()
    for (let part = 0; part < PARTS && !isOver(); part++) await pause(ms / PARTS, undefined, { ref: false })
    if (isOver() || !isConnected()) return false
    const isEngineThere = await engineAnswers().then(
      () => true,
      () => false,
    )
    return isEngineThere ? !isOver() : isOverdue(isOver)
  }

  async function ask(owner: Owner): Promise<void> {
    const { instance } = owner
    if (instance === undefined) return
    if (!isConnected()) return askLater(owner)
    const since = new Date()
    let isOver = false
    void isOverdue(() => isOver).then((isLate) => {
      if (!isLate || target !== owner || silent.has(instance)) return
      silent.add(instance)
      onSilent(owner, since)
    })
    const answer = await probe(instance, PROBE_TIMEOUT_MS).catch((error: unknown) => error)
    isOver = true
    if (isTimeout(answer) && target === owner) return askLater(owner, 0)
    const wasSilent = silent.delete(instance)
    if (wasSilent && !(answer instanceof Error)) onHeard(owner)
    askLater(owner)
  }

  return {
    watch(owner) {
      if (owner?.instance === target?.instance && owner !== undefined) return
      target = owner
      clearTimeout(next)
      if (owner !== undefined) askLater(owner, 0)
    },
    isSilent: (instance) => instance !== undefined && silent.has(instance),
    stop() {
      target = undefined
      clearTimeout(next)
    },
  }
}

function isTimeout(answer: unknown): boolean {
  return answer instanceof InvocationError && answer.code.toLowerCase() === 'timeout'
}
