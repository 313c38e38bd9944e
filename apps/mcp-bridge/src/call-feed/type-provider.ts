/** Provides a trigger type where nobody else does. */
export interface TypeProvider {
  /** Does after a moment, if nobody does by then. */
  provideSoon(): void
  close(): void
}

/**
 * All bridges see at the same moment that a type is nobody's, such as when their engine is there again. An engine stands still for good when two
 * workers say or end a type just when others register routes (`docs/engine-notes.md`), so they wait for moments of their own, and the first is
 * enough.
 */
const STAGGER_MS = 200

export interface TypeProviderOptions {
  isProvided(): Promise<boolean>
  provide(): void
  /** It is not known whether somebody provides it. */
  onUntold(error: unknown): void
}

export function createTypeProvider({ isProvided, provide, onUntold }: TypeProviderOptions): TypeProvider {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function wake(): Promise<void> {
    timer = undefined
    try {
      const isTaken = await isProvided()
      if (!isTaken && !isClosed) provide()
    } catch (error) {
      if (!isClosed) onUntold(error)
    }
  }

  return {
    provideSoon() {
      timer ??= setTimeout(() => void wake(), Math.random() * STAGGER_MS).unref()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
