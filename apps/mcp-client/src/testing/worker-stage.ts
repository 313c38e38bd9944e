import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog, InvocationError, registerWorker, type Settings, type Worker } from '@iii/sdk'
import type { Options } from '../options.ts'
import type { ServerStatus } from '../servers/server-status.ts'
import { serveMcpServers } from '../worker.ts'

/** The worker on an engine, with real processes, and another worker that calls. */
export interface WorkerStage extends AsyncDisposable {
  readonly worker: Worker
  readonly caller: Worker
  readonly folder: string
  /** Says that the file has other servers now. */
  set(servers: Readonly<Record<string, unknown>>): void
  call<T = unknown>(id: string, payload?: unknown, more?: object): Promise<T>
  status(name: string): Promise<ServerStatus>
  /** Waits until a server is in this state. */
  untilState(name: string, state: ServerStatus['state']): Promise<ServerStatus>
}

const SCRIPT = fileURLToPath(new URL('scripted-server.mjs', import.meta.url))
const silent = createLog({ name: 'mcp-client', level: 'silent' })

/** A server that does what the script says. */
export function scripted(script: object = {}, more: object = {}) {
  return { command: process.execPath, args: [SCRIPT, JSON.stringify(script)], trust: 'unsandboxed', ...more }
}

export async function startWorkerStage(
  engine: { readonly url: string },
  servers: Readonly<Record<string, unknown>>,
): Promise<WorkerStage> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-client-'))
  const listeners = new Set<() => void>()
  const value: Options = { pins: 'pins.json', servers }
  const settings: Settings<Options> = {
    ...{ value, locked: undefined, file: join(folder, 'servers.yaml') },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const worker = registerWorker(engine.url, { name: 'mcp-client', log: silent, watchOwnership: true, defers: true })
  const client = { name: 'iii-mcp-client', version: '0' }
  const served = serveMcpServers(worker, settings, silent, { env: {}, platform: process.platform, client })
  const caller = registerWorker(engine.url, { name: 'caller', log: silent })
  await Promise.all([worker.ready(), caller.ready()])

  const call = <T>(function_id: string, payload: unknown = {}, more = {}) =>
    caller.trigger<T>({ function_id, payload, ...more })
  const status = async (name: string) => {
    const { servers: all } = await call<{ servers: ServerStatus[] }>('mcp-client::status', { server: name })
    return all[0] as ServerStatus
  }
  return {
    ...{ worker, caller, folder, call, status },
    set(next) {
      value.servers = next
      for (const listener of [...listeners]) listener()
    },
    async untilState(name, state) {
      for (;;) {
        const now = await status(name)
        if (now.state === state) return now
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async [Symbol.asyncDispose]() {
      await served.close()
      await Promise.all([worker.shutdown(), caller.shutdown()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The text of a result's first block. */
export const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text

/** What a call fails with. */
export const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not fail',
    (error: unknown) => (error instanceof InvocationError ? error.message : String(error)),
  )
