import { InvocationError } from '../invocation-error.ts'
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
  /** Asks this process for a sign of life. @throws InvocationError */
  probe(instance: string, timeoutMs: number): Promise<unknown>
  onSilent(owner: Owner, since: Date): void
  onHeard(owner: Owner): void
}

/** A question stays out as long as this: whoever is woken up answers it, and one that is not asked again fills no queue. */
const PROBE_TIMEOUT_MS = 60_000
/** A timer that is later than this says that this process itself was asleep, or busy. */
const OVERSLEPT_MS = 200

export function createLiveness(options: LivenessOptions): Liveness {
  const { probeEveryMs, silentAfterMs, patience, isConnected, probe, onSilent, onHeard } = options
  const silent = new Set<string>()
  let target: Owner | undefined
  let next: NodeJS.Timeout | undefined

  function askLater(owner: Owner, delayMs = probeEveryMs * patience()): void {
    clearTimeout(next)
    if (target === owner) next = setTimeout(() => void ask(owner), delayMs).unref()
  }

  async function ask(owner: Owner): Promise<void> {
    const { instance } = owner
    if (instance === undefined) return
    if (!isConnected()) return askLater(owner)
    const since = new Date()
    const deadline = startDeadline(silentAfterMs * patience(), () => {
      if (target !== owner || silent.has(instance)) return
      silent.add(instance)
      onSilent(owner, since)
    })
    const answer = await probe(instance, PROBE_TIMEOUT_MS).catch((error: unknown) => error)
    deadline.stop()
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

/** Once more as long where this process was not there to read an answer. */
function startDeadline(ms: number, passed: () => void): { stop(): void } {
  let timer: NodeJS.Timeout
  function arm(): void {
    const dueAt = performance.now() + ms
    timer = setTimeout(() => (performance.now() > dueAt + OVERSLEPT_MS ? arm() : passed()), ms).unref()
  }
  arm()
  return { stop: () => clearTimeout(timer) }
}

function isTimeout(answer: unknown): boolean {
  return answer instanceof InvocationError && answer.code.toLowerCase() === 'timeout'
}
