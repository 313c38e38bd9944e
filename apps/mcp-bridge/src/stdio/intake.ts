import type { Readable } from 'node:stream'
import type { LineWriter } from './line-writer.ts'

/** What a client sends: taken at once while it reads its answers, and kept for later while it does not. */
export interface Intake {
  /** Resolves when nothing is kept. */
  settled(): Promise<void>
  /** Takes nothing any more; what is kept is forgotten. */
  close(): void
}

export interface IntakeOptions {
  readonly input: Readable
  readonly writer: Pick<LineWriter, 'isFull' | 'room'>
  readonly take: (chunk: Uint8Array) => void
  /** So much is kept. Up to there the end of the input is seen, whether the client reads or not. @default 1 MiB */
  readonly maxKeptBytes?: number
}

export function createIntake({ input, writer, take, maxKeptBytes = 1024 * 1024 }: IntakeOptions): Intake {
  const kept: Uint8Array[] = []
  let keptBytes = 0
  let emptying: Promise<void> | undefined

  function onData(chunk: Uint8Array): void {
    if (emptying === undefined && !writer.isFull) {
      take(chunk)
      return
    }
    kept.push(chunk)
    keptBytes += chunk.length
    if (keptBytes > maxKeptBytes) input.pause()
    emptying ??= empty().finally(() => {
      emptying = undefined
    })
  }

  async function empty(): Promise<void> {
    for (;;) {
      if (writer.isFull) await writer.room()
      const chunk = kept.shift()
      if (chunk === undefined) return
      keptBytes -= chunk.length
      take(chunk)
      if (keptBytes <= maxKeptBytes && input.isPaused()) input.resume()
    }
  }

  input.on('data', onData)
  return {
    settled: async () => await emptying,
    close() {
      input.off('data', onData).pause()
      kept.length = 0
    },
  }
}
