import { fileURLToPath } from 'node:url'
import type { EngineGeneration } from '@iii/mock-engine'
import { toNodeArgs } from './built.ts'
import type { ChildOptions } from './child.ts'
import { listFlags } from './search-mode.ts'

/** The programs of this repository as processes, with the flags that make them a running system. */

export interface EngineFlags {
  enginePort: number
  httpPort: number
  /** @default '0.22' */
  engineVersion?: EngineGeneration | undefined
  dataDir?: string | undefined
}

/** The sources of all programs that make a running system, for whoever makes them beforehand. */
export const STACK_SOURCES = [
  'apps/mcp-bridge/src/main.ts',
  'apps/mcp-client/src/main.ts',
  'apps/run-records/src/main.ts',
  'apps/skills-registry/src/main.ts',
  'packages/mock-engine/src/cli/main.ts',
  'e2e/lifeline.ts',
  'e2e/sample-worker/main.ts',
] as const

/** The line that the embedded engine prints when it is ready; groups: bus URL, HTTP URL. */
export const ENGINE_READY = /iii-mock-engine: bus (ws:\S+) http (http:\S+)/

/** What each of our workers logs once it serves. */
export const WORKER_READY = /"msg":"ready"/

export function engineProgram({ enginePort, httpPort, engineVersion = '0.22', dataDir }: EngineFlags): ChildOptions {
  return {
    name: 'engine',
    entry: new URL('../packages/mock-engine/src/cli/main.ts', import.meta.url),
    args: [
      ...['--port', String(enginePort), '--http-port', String(httpPort), '--host', '127.0.0.1'],
      ...['--engine-version', engineVersion],
      ...(dataDir === undefined ? [] : ['--data', dataDir]),
    ],
  }
}

export function skillsProgram(engineUrl: string, flags: readonly string[] = []): ChildOptions {
  const entry = new URL('../apps/skills-registry/src/main.ts', import.meta.url)
  return { name: 'skills', entry, args: ['--url', engineUrl, ...flags] }
}

const BRIDGE = new URL('../apps/mcp-bridge/src/main.ts', import.meta.url)

/** A command that an MCP client starts: it speaks MCP on stdin and stdout. */
export interface StdioCommand {
  command: string
  args: string[]
  /** The folder that it is started in. @default the one of the tests */
  cwd?: string
  /** Set beside the few variables that clients pass on. */
  env?: Record<string, string>
}

export function stdioBridge(engineUrl: string, flags: readonly string[] = []): StdioCommand {
  return { command: process.execPath, args: [...toNodeArgs(BRIDGE), '--url', engineUrl, ...listFlags(), ...flags] }
}

/** A bridge that runs the workers which clients write. */
export function managingBridge(engineUrl: string, flags: readonly string[] = []): StdioCommand {
  const args = [...toNodeArgs(BRIDGE, { runsSources: true }), '--url', engineUrl, ...flags]
  return { command: process.execPath, args }
}

export function bridgeProgram(engineUrl: string, flags: readonly string[] = []): ChildOptions {
  return { name: 'mcp', entry: BRIDGE, args: ['--url', engineUrl, '--no-stdio', ...listFlags(), ...flags] }
}

const RUNS = new URL('../apps/run-records/src/main.ts', import.meta.url)

export function runsProgram(engineUrl: string, flags: readonly string[] = []): ChildOptions {
  return { name: 'runs', entry: RUNS, args: ['--url', engineUrl, ...flags] }
}

/** A command of an operator: `iii-runs list`. */
export function runsCommand(engineUrl: string, args: readonly string[]): ChildOptions {
  return { name: 'iii-runs', entry: RUNS, args: [...args, '--url', engineUrl] }
}

const MCP_CLIENT = new URL('../apps/mcp-client/src/main.ts', import.meta.url)

/** The MCP servers of `start`. */
export const SAMPLE_MCP_SERVERS = fileURLToPath(new URL('./sample-mcp-server/servers.yaml', import.meta.url))

export function mcpClientProgram(engineUrl: string, flags: readonly string[] = []): ChildOptions {
  return { name: 'mcp-client', entry: MCP_CLIENT, args: ['--url', engineUrl, ...flags] }
}

/** A command of an operator: `iii-mcp-client list`. */
export function mcpClientCommand(engineUrl: string, args: readonly string[]): ChildOptions {
  return { name: 'iii-mcp-client', entry: MCP_CLIENT, args: [...args, '--url', engineUrl] }
}

/** A process that wants a lock of `runs`, see its source. */
export function contenderProgram(
  engineUrl: string,
  { mode, lock, rounds = 1, timings = {} }: { mode: 'try' | 'hold'; lock: string; rounds?: number; timings?: object },
): ChildOptions {
  const entry = new URL('../apps/run-records/src/testing/contender.ts', import.meta.url)
  return { name: 'contender', entry, args: [engineUrl, mode, lock, String(rounds), JSON.stringify(timings)] }
}

/** A process that fills the store of `runs`, see its source. */
export function fillerProgram(engineUrl: string, runs: number, taskIds: readonly string[]): ChildOptions {
  const entry = new URL('../apps/run-records/src/testing/filler.ts', import.meta.url)
  return { name: 'filler', entry, args: [engineUrl, String(runs), JSON.stringify(taskIds)] }
}

export function ordersProgram(engineUrl: string): ChildOptions {
  const entry = new URL('./sample-worker/main.ts', import.meta.url)
  return { name: 'orders', entry, args: ['--url', engineUrl] }
}
