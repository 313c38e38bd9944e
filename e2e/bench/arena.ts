import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Child, type ChildOptions, startChild } from '../child.ts'
import { type Cleanup, createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { type Stack, startStack } from '../stack.ts'
import { until } from '../until.ts'
import type { Subject } from './measure.ts'

/** Things to be measured side by side; the first is the floor. */
export interface Bench {
  readonly title: string
  /** How many to have in flight, one table each. @default [1, 16] */
  readonly inFlight?: readonly number[]
  open(arena: Arena): Promise<readonly Subject[]>
}

/** Where benchmarks run: a whole stack, and what they start beside it, taken down at the end. */
export interface Arena extends AsyncDisposable {
  readonly stack: Stack
  readonly use: Cleanup['use']
  start(options: ChildOptions): Child
  /** Starts a worker of this folder and waits for a function of it. */
  startWorker(file: string, functionId: string): Promise<void>
  /** Starts an HTTP server that answers at once. @returns its address. */
  startHttpFloor(): Promise<string>
}

export async function openArena(): Promise<Arena> {
  const { use, run } = createCleanup()
  const stack = use(await startStack())
  const start = (options: ChildOptions) => use(startChild(options))
  return {
    stack,
    use,
    start,
    async startWorker(file, functionId) {
      if (await hasFunctions(stack.worker, [functionId])) return
      start({ name: file, entry: new URL(file, import.meta.url), args: ['--url', stack.engineUrl] })
      await until(() => hasFunctions(stack.worker, [functionId]), { what: `${functionId} to be there` })
    },
    async startHttpFloor() {
      const server = createServer((incoming, response) => {
        incoming.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"ok":true}'))
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      use({
        async [Symbol.asyncDispose]() {
          server.close()
          server.closeAllConnections()
        },
      })
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    },
    [Symbol.asyncDispose]: run,
  }
}
