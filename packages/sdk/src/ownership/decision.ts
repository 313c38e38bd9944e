/** Whether a look was acted on that knew of everything that is registered. */
export interface Decision {
  /** Something was registered. */
  renew(): void
  /** A look begins. Returns what to call when it was acted on. */
  begin(): () => void
  /** Nothing will be decided: those who wait go on. */
  giveUp(): void
  /** Resolves when what is registered at the end of the wait was decided about. */
  made(): Promise<void>
}

export function createDecision(): Decision {
  let version = 0
  let decided = -1
  const waiting = new Set<() => void>()

  function release(): void {
    for (const resume of waiting) resume()
    waiting.clear()
  }

  return {
    renew: () => void version++,
    begin() {
      const seen = version
      return () => {
        decided = seen
        if (decided === version) release()
      }
    },
    giveUp: release,
    made: () => (decided === version ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve))),
  }
}
