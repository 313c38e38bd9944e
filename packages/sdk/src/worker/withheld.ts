/** Messages about what an engine gives to whoever says it last: said as soon as that takes nothing from anybody. */
export interface Withheld {
  /** Says it now, or when `isFree`. What was withheld under the same id is forgotten. */
  say(id: string, frame: string, isFree: () => boolean): void
  forget(id: string): void
  /** Says what is free by now. @returns whether there was any */
  release(): boolean
  clear(): void
}

/** @param onWithheld is told that something waits */
export function createWithheld(send: (frame: string) => void, onWithheld: () => void): Withheld {
  const waiting = new Map<string, { frame: string; isFree: () => boolean }>()
  return {
    say(id, frame, isFree) {
      waiting.delete(id)
      if (isFree()) return send(frame)
      waiting.set(id, { frame, isFree })
      onWithheld()
    },
    forget: (id) => void waiting.delete(id),
    release() {
      const free = [...waiting].filter(([, { isFree }]) => isFree())
      for (const [id, { frame }] of free) {
        waiting.delete(id)
        send(frame)
      }
      return free.length > 0
    },
    clear: () => waiting.clear(),
  }
}
