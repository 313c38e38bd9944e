import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from '@iii/sdk'
import { type Child, type ChildOptions, startChild } from './child.ts'
import { type ClientKind, type ConnectedClient, connectClient } from './clients.ts'
import { openEngine } from './engine.ts'
import {
  connectToEngine,
  hasFunctions,
  MCP_CLIENT_FUNCTIONS,
  RUNS_FUNCTIONS,
  requestOnce,
  SKILLS_FUNCTIONS,
  servesOrders,
} from './facts.ts'
import { bridgeProgram, mcpClientProgram, ordersProgram, runsProgram, skillsProgram } from './programs.ts'
import { until } from './until.ts'

export interface StackOptions {
  /** Which workers to start. @default registry, bridge and sample worker */
  workers?: readonly ('skills' | 'bridge' | 'orders' | 'runs' | 'mcp-client')[]
  bridgeFlags?: readonly string[]
  runsFlags?: readonly string[]
  mcpClientFlags?: readonly string[]
  skillsFlags?: readonly string[]
  /** Where an engine of our own keeps what is stored, so that it is there after a restart. */
  dataDir?: string
}

/** An engine with our workers, each a process of its own, and a connection of the test to it. */
export interface Stack extends AsyncDisposable {
  readonly engineUrl: string
  readonly httpUrl: string
  readonly mcpUrl: string
  /** The test's own connection to the engine: to call functions, and to offer some. */
  readonly worker: Worker
  /** The workers by name, as they were last started. */
  readonly children: ReadonlyMap<string, Child>
  startEngine(): Promise<void>
  readEngineOutput(): string | undefined
  startSkills(): Promise<void>
  startBridge(flags?: readonly string[]): Promise<void>
  startOrders(): Promise<void>
  startRuns(flags?: readonly string[]): Promise<void>
  startMcpClient(flags?: readonly string[]): Promise<void>
  /** Stops one process, so that its `start…` can start it anew. */
  stop(name: 'engine' | 'skills' | 'mcp' | 'orders' | 'runs' | 'mcp-client'): Promise<void>
  connect(kind: ClientKind): Promise<ConnectedClient>
}

/** Starts a stack on an empty engine; resolves when clients can use all of it. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const children = new Map<string, Child>()
  const engine = await openEngine(options.dataDir)
  const { url: engineUrl, httpUrl } = engine
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
    startEngine: () => engine.start(),
    readEngineOutput: () => engine.readOutput(),
    startSkills: () => run(skillsProgram(engineUrl, options.skillsFlags), () => hasFunctions(worker, SKILLS_FUNCTIONS)),
    startBridge: (flags = options.bridgeFlags) =>
      run(bridgeProgram(engineUrl, flags), async () => (await requestOnce(mcpUrl, 'ping')) !== undefined),
    startOrders: () => run(ordersProgram(engineUrl), () => hasFunctions(worker, ['orders::status'])),
    startRuns: (flags = options.runsFlags) =>
      run(runsProgram(engineUrl, flags), () => hasFunctions(worker, RUNS_FUNCTIONS)),
    startMcpClient: (flags = options.mcpClientFlags) =>
      run(mcpClientProgram(engineUrl, flags), () => hasFunctions(worker, MCP_CLIENT_FUNCTIONS)),
    stop: async (name) => {
      await (name === 'engine' ? engine : children.get(name))?.stop()
    },
    connect: (kind) => connectClient(kind, mcpUrl),
    [Symbol.asyncDispose]: async () => {
      await worker.shutdown()
      await Promise.all([...children.values()].map((child) => child.stop()))
      await engine[Symbol.asyncDispose]()
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
    workers.has('runs') ? stack.startRuns() : undefined,
    workers.has('mcp-client') ? stack.startMcpClient() : undefined,
  ])
  if (workers.has('orders')) await stack.startOrders()
  if (['skills', 'bridge', 'orders'].every((name) => workers.has(name)))
    await until(() => servesOrders(stack.mcpUrl), { what: 'everything to be served over MCP' })
}

/** A folder that is gone when the test is. */
export async function createTempFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'iii-e2e-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
