import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from '@iii/sdk'
import { type Child, type ChildOptions, startChild } from './child.ts'
import { type ClientKind, connectClient, type McpClient } from './clients.ts'
import { ask, connectToEngine, hasFunctions, SKILLS_FUNCTIONS, servesOrders } from './facts.ts'
import { bridgeProgram, ENGINE_READY, engineProgram, ordersProgram, skillsProgram } from './programs.ts'
import { until } from './until.ts'

export interface StackOptions {
  /** Which workers to start. @default all three */
  workers?: readonly ('skills' | 'bridge' | 'orders')[]
  bridgeFlags?: readonly string[]
  skillsFlags?: readonly string[]
  dataDir?: string
}

/** An engine with its workers, each a process of its own, and a connection of the test to it. */
export interface Stack extends AsyncDisposable {
  readonly engineUrl: string
  readonly httpUrl: string
  readonly mcpUrl: string
  /** The test's own connection to the engine: to call functions, and to offer some. */
  readonly worker: Worker
  /** The processes by name, as they were last started. */
  readonly children: ReadonlyMap<string, Child>
  startEngine(): Promise<void>
  startSkills(): Promise<void>
  startBridge(flags?: readonly string[]): Promise<void>
  startOrders(): Promise<void>
  /** Stops one process, so that its `start…` can start it anew. */
  stop(name: 'engine' | 'skills' | 'mcp' | 'orders'): Promise<void>
  connect(kind: ClientKind): Promise<McpClient>
}

/** Starts a stack on free ports; resolves when clients can use all of it. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const children = new Map<string, Child>()
  const engine = startChild(engineProgram({ enginePort: 0, httpPort: 0, dataDir: options.dataDir }))
  children.set('engine', engine)
  const [, engineUrl = '', httpUrl = ''] = await engine.line(ENGINE_READY)
  const mcpUrl = `${httpUrl}/mcp`
  const worker = connectToEngine(engineUrl, 'test')

  const run = async (program: ChildOptions, ready: () => Promise<boolean>) => {
    const child = startChild(program)
    children.set(program.name, child)
    await until(ready, { what: `${program.name} to be ready`, deadlineMs: 20_000 }).catch((error: Error) => {
      throw new Error(`${error.message}\n${[...child.stdout, ...child.stderr].join('\n')}`)
    })
  }

  const stack: Stack = {
    engineUrl,
    httpUrl,
    mcpUrl,
    worker,
    children,
    startEngine: async () => {
      const ports = { enginePort: Number(new URL(engineUrl).port), httpPort: Number(new URL(httpUrl).port) }
      const child = startChild(engineProgram({ ...ports, dataDir: options.dataDir }))
      children.set('engine', child)
      await child.line(ENGINE_READY)
    },
    startSkills: () => run(skillsProgram(engineUrl, options.skillsFlags), () => hasFunctions(worker, SKILLS_FUNCTIONS)),
    startBridge: (flags = options.bridgeFlags) =>
      run(bridgeProgram(engineUrl, flags), async () => (await ask(mcpUrl, 'ping')) !== undefined),
    startOrders: () => run(ordersProgram(engineUrl), () => hasFunctions(worker, ['orders::status'])),
    stop: async (name) => {
      await children.get(name)?.stop()
    },
    connect: (kind) => connectClient(kind, mcpUrl),
    [Symbol.asyncDispose]: async () => {
      await worker.shutdown()
      const [first, ...others] = children.values()
      await Promise.all(others.map((child) => child.stop()))
      await first?.stop()
    },
  }
  await startWorkers(stack, new Set(options.workers ?? ['skills', 'bridge', 'orders'])).catch(async (error) => {
    await stack[Symbol.asyncDispose]()
    throw error
  })
  return stack
}

async function startWorkers(stack: Stack, workers: ReadonlySet<string>): Promise<void> {
  await Promise.all([
    workers.has('skills') ? stack.startSkills() : undefined,
    workers.has('bridge') ? stack.startBridge() : undefined,
  ])
  if (workers.has('orders')) await stack.startOrders()
  if (workers.size === 3) await until(() => servesOrders(stack.mcpUrl), { what: 'everything to be served over MCP' })
}

/** A folder that is gone when the test is. */
export async function createTempFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'iii-e2e-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
