import type { EngineGeneration } from '@iii/mock-engine'

/** Which engine stacks run on: embedded ones of their own, like a version, or one that somebody started. Nothing else in e2e knows. */

export interface EngineAddress {
  /** Of the worker bus, `ws://HOST:PORT`. */
  readonly url: string
  /** Of the HTTP port, `http://HOST:PORT`. */
  readonly httpUrl: string
  /** The file that has what it writes to stdout and stderr, where somebody says which. */
  readonly outputFile?: string
}

let borrowed: EngineAddress | undefined
let version: EngineGeneration = '0.22'

export function chosenEngine() {
  return { borrowed, version }
}

/** From now on stacks run on this engine. @returns what gives it back */
export function borrowEngine(address: EngineAddress): () => void {
  borrowed = address
  return () => {
    borrowed = undefined
  }
}

/** From now on stacks that have an engine of their own have one like this. */
export function resembleEngine(like: EngineGeneration): void {
  version = like
}

/** Whether stacks run on an engine that is not theirs to stop. */
export function isBorrowed(): boolean {
  return borrowed !== undefined
}
