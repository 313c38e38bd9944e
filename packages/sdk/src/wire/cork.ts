import type { Duplex } from 'node:stream'

/** What the messages of one read set off goes out in one write, unless that takes its time. */
export interface Cork {
  /** The stream below the connection, as soon as there is one. */
  setStream(stream: Duplex): void
  /** Something is about to be read. @param onOver is told when all of it was, and whether nothing was written meanwhile */
  onRead(onOver: (isQuiet: boolean) => void): void
  /** Something was written. */
  onWrite(): void
  /** Hands out several messages at the price of one. */
  together(write: () => void): void
}

const MAX_CORK_MS = 1

export function createCork(): Cork {
  let stream: Duplex | undefined
  let wrote = false
  let corkedAt: number | undefined

  return {
    setStream(next) {
      stream = next
    },
    onRead(onOver) {
      if (corkedAt !== undefined) return
      corkedAt = performance.now()
      wrote = false
      const corked = stream
      corked?.cork()
      setImmediate(() => {
        corkedAt = undefined
        corked?.uncork()
        onOver(!wrote)
      })
    },
    onWrite() {
      wrote = true
      if (corkedAt === undefined || performance.now() - corkedAt <= MAX_CORK_MS) return
      corkedAt = performance.now()
      stream?.uncork()
      stream?.cork()
    },
    together(write) {
      stream?.cork()
      write()
      stream?.uncork()
    },
  }
}
