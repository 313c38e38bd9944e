import { existsSync } from 'node:fs'
import { isAlive } from './child.ts'
import { managingBridge, type StdioCommand } from './programs.ts'
import { type StdioProcess, startStdio } from './stdio-process.ts'
import { until } from './until.ts'

/** A client that manages the engine through a bridge that it started. */
export interface ManagedClient extends AsyncDisposable {
  readonly bridge: StdioProcess
  /** Calls a tool. @returns the text of its result, and its data */
  call(name: string, input: object): Promise<{ text: string; isError: boolean; data: Record<string, unknown> }>
}

const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'e2e', version: '0' } }

export async function startManagedClient(
  engineUrl: string,
  flags: readonly string[] = ['--allow-run'],
  command: Partial<StdioCommand> = {},
  env: Record<string, string> = {},
): Promise<ManagedClient> {
  const bridge = startStdio({ ...managingBridge(engineUrl, flags), ...command }, env)
  await bridge.request('initialize', CLIENT)
  await bridge.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return {
    bridge,
    async call(name, input) {
      const { result, error } = await bridge.request('tools/call', { name, arguments: input })
      if (result === undefined) throw new Error(`${name}: ${error?.message}`)
      const {
        content,
        isError = false,
        structuredContent = {},
      } = result as {
        content: { text?: string }[]
        isError?: boolean
        structuredContent?: Record<string, unknown>
      }
      return { text: content[0]?.text ?? '', isError, data: structuredContent }
    },
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  }
}

/** Where a worker runs, as it says itself. */
export interface WorkerPlace {
  readonly pid: number
  readonly leader: number
  readonly folder: string
}

/** Waits until nothing of a worker is left. */
export async function untilGone({ pid, leader, folder }: WorkerPlace): Promise<void> {
  const isGone = () => !(isAlive(pid) || isAlive(leader) || existsSync(folder))
  await until(isGone, { what: `the worker ${pid} of ${leader} in ${folder} to be gone`, deadlineMs: 10_000 })
}
