/** So many servers start at the same time. */
export interface StartGate {
  /** Resolves when it is one's turn, with what to call when one has started or failed; undefined when the signal fires first. */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>
}

const AT_ONCE = 4

export function createStartGate(atOnce = AT_ONCE): StartGate {
  let running = 0
  const waiting: (() => void)[] = []

  function leave(): void {
    running--
    waiting.shift()?.()
  }

  function toLeave(): () => void {
    running++
    let hasLeft = false
    return () => {
      if (!hasLeft) leave()
      hasLeft = true
    }
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
