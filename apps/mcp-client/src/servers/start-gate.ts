import type { Clock } from '../clock.ts'

/** So many servers start at the same time, as long as they take no longer than servers do. */
export interface StartGate {
  /** Resolves when it is one's turn, with what to call when one has started or failed; undefined when the signal fires first. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>
}

const AT_ONCE = 4
/** Who takes longer waits for something, and keeps no other one waiting. */
const PLACE_MS = 3_000

export function createStartGate(clock: Clock, atOnce = AT_ONCE): StartGate {
  let running = 0
  const waiting: (() => void)[] = []

  function leave(): void {
    running--
    waiting.shift()?.()
  }

  function toLeave(): () => void {
    running++
    let hasLeft = false
    const done = () => {
      cancel()
      if (!hasLeft) leave()
      hasLeft = true
    }
    const cancel = clock.after(PLACE_MS, done)
    return done
  }

  return {
    async enter(signal) {
      if (signal.aborted) return undefined
      if (running < atOnce) return toLeave()
      const isMine = await new Promise<boolean>((resolve) => {
        const go = () => {
          signal.removeEventListener('abort', give)
          resolve(true)
        }
        const give = () => {
          waiting.splice(waiting.indexOf(go), 1)
          resolve(false)
        }
        waiting.push(go)
        signal.addEventListener('abort', give, { once: true })
      })
      return isMine ? toLeave() : undefined
    },
  }
}
