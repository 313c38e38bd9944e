import type { Worker } from '@iii/sdk'
import { afterAll, beforeAll } from 'vitest'
import { createCleanup } from './cleanup.ts'
import { createTempFolder, type Stack, startStack } from './stack.ts'

/** What scenarios of settings have in common: an engine without our workers, and a folder for their files. */
export interface EmptyStack {
  readonly stack: Stack
  readonly folder: string
}

/** Starts it for all scenarios of a file. @param offer puts functions on the engine */
export function useEmptyStack(offer: (worker: Worker) => void = () => {}): EmptyStack {
  const cleanup = createCleanup()
  let own: EmptyStack | undefined
  beforeAll(async () => {
    const folder = cleanup.use(await createTempFolder()).path
    const stack = cleanup.use(await startStack({ workers: [] }))
    offer(stack.worker)
    await stack.worker.ready()
    own = { stack, folder }
  })
  afterAll(() => cleanup.run())
  const require = (): EmptyStack => {
    if (own === undefined) throw new Error('It is there once the scenarios run')
    return own
  }
  return {
    get stack() {
      return require().stack
    },
    get folder() {
      return require().folder
    },
  }
}
