/** A frame as it passed the engine's worker bus. */
export interface SeenFrame {
  /** `in`: from the worker to the engine; frames the engine ignores are not shown. */
  readonly direction: 'in' | 'out'
  readonly workerId: string
  /** The frame as it stands on the wire. */
  readonly text: string
  /** The frame as a value; integers beyond 2^53 lose digits. */
  readonly frame: Record<string, unknown>
}

/** Lets tests watch what passes. */
export interface FrameTap {
  seen(direction: SeenFrame['direction'], workerId: string, text: string): void
  /** @returns a function that ends the watching. */
  watch(listener: (frame: SeenFrame) => void): () => void
}

export function createFrameTap(): FrameTap {
  const listeners = new Set<(frame: SeenFrame) => void>()
  return {
    seen(direction, workerId, text) {
      if (listeners.size === 0) return
      const frame = JSON.parse(text) as Record<string, unknown>
      for (const listener of listeners) listener({ direction, workerId, text, frame })
    },
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
