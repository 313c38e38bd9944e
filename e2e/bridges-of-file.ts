import { join } from 'node:path'
import type { Worker } from '@iii/sdk'
import { afterAll, beforeAll } from 'vitest'
import { type Child, startChild } from './child.ts'
import { createCleanup } from './cleanup.ts'
import { useEmptyStack } from './empty-stack.ts'
import { bridgeProgram, WORKER_READY } from './programs.ts'
import type { Stack } from './stack.ts'
import { type Entitled, saveTokens } from './token-file.ts'

/** Bridges of one engine that are held to one file of tokens. */
export interface BridgesOfFile {
  readonly stack: Stack
  readonly file: string
  /** Where they are. */
  readonly urls: readonly string[]
  /** Stops the first of them, and starts it anew. */
  restart(): Promise<void>
}

export interface BridgesOfFileOptions {
  /** Whom the file names at first. */
  readonly entitled: readonly Entitled[]
  /** Puts functions on the engine. */
  readonly offer: (worker: Worker) => void
  /** @default one bridge, at /mcp */
  readonly paths?: readonly string[]
}

/** Starts them for all scenarios of a file. */
export function useBridgesOfFile({ entitled, offer, paths = ['/mcp'] }: BridgesOfFileOptions): BridgesOfFile {
  const cleanup = createCleanup()
  const empty = useEmptyStack(offer)
  const started: Child[] = []
  const shared: BridgesOfFile = {
    get stack() {
      return empty.stack
    },
    get file() {
      return join(empty.folder, 'tokens.yaml')
    },
    get urls() {
      return paths.map((path) => empty.stack.httpUrl + path)
    },
    async restart() {
      await started[0]?.stop()
      await start(0)
    },
  }

  async function start(nth: number): Promise<void> {
    const flags = ['--config', shared.file, '--api-path', paths[nth] ?? '/mcp']
    const bridge = cleanup.use(startChild(bridgeProgram(empty.stack.engineUrl, flags)))
    started[nth] = bridge
    await bridge.line(WORKER_READY)
  }

  beforeAll(async () => {
    await saveTokens(shared.file, entitled)
    for (const nth of paths.keys()) await start(nth)
  })
  afterAll(() => cleanup.run())
  return shared
}
