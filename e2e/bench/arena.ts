import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Child, type ChildOptions, startChild } from '../child.ts'
import { type Cleanup, createCleanup } from '../cleanup.ts'
import { hasFunctions } from '../facts.ts'
import { type Stack, type StackOptions, startStack } from '../stack.ts'
import { until } from '../until.ts'
import type { BenchSubject } from './measure.ts'

/** Things to be measured side by side; the first is the floor. */
export interface Bench {
  readonly title: string
  /** How many to have in flight, one table each. @default [1, 16] */
  readonly inFlight?: readonly number[]
  open(arena: Arena): Promise<readonly BenchSubject[]>
}

/** Benches that share an arena. */
export interface Scene {
  /** Which of our workers are on its engine. @default none */
  readonly workers?: StackOptions['workers']
  /** Why it cannot be on an engine that somebody else runs. */
  readonly needsOwnEngine?: string
  readonly benches: readonly Bench[]
}

/** Where benchmarks run: an engine with workers of ours, and what they start beside it, taken down at the end. */
export interface Arena extends AsyncDisposable {
  readonly stack: Stack
  /** A bridge of another build, to be measured beside ours. */
  readonly beside: URL | undefined
  readonly use: Cleanup['use']
  start(options: ChildOptions): Child
  /** Starts a worker of this folder, once, and waits for a function of it. @returns its process id */
  startWorker(file: string, functionId: string): Promise<number>
  /** Starts an HTTP server that answers at once. @returns its address. */
  startHttpFloor(): Promise<string>
}

export interface ArenaOptions {
  readonly workers?: StackOptions['workers']
  readonly beside?: URL | undefined
}

export async function openArena({ workers = [], beside }: ArenaOptions = {}): Promise<Arena> {
  const { use, run } = createCleanup()
  const stack = use(await startStack({ workers }))
  const started = new Map<string, Child>()
  const start = (options: ChildOptions) => use(startChild(options))
  return {
    stack,
    beside,
    use,
    start,
    async startWorker(file, functionId) {
      const entry = new URL(file, import.meta.url)
      const worker = started.get(file) ?? start({ name: file, entry, args: ['--url', stack.engineUrl] })
      started.set(file, worker)
      await until(() => hasFunctions(stack.worker, [functionId]), { what: `${functionId} to be there` })
      return worker.pid
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
