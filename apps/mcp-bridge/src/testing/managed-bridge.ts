import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { inject } from 'vitest'
import { readWorkerHost, type WorkerHost } from '../management/index.ts'
import type { ToolAnswer } from './bridge.ts'
import { type StdioBridge, type StdioSetup, startStdioBridge } from './stdio-bridge.ts'

/** A bridge that its client manages the engine with. */
export interface ManagedBridge extends AsyncDisposable {
  readonly bridge: StdioBridge
  call(name: string, input: object): Promise<ManagementAnswer>
}

export interface ManagementAnswer {
  readonly text: string
  readonly isError: boolean
  readonly data: Readonly<Record<string, unknown>>
}

/** A host on which nothing but Node and this package are installed. */
export function toTestHost(own: Partial<WorkerHost> = {}): WorkerHost {
  const env = { PATH: dirname(process.execPath), HOME: homedir(), AWS_SECRET_ACCESS_KEY: 'do-not-tell' }
  return { ...readWorkerHost(env), nodeArgs: [], packageRoot: inject('installed'), ...own }
}

/** It is ready when this resolves. */
export async function startManaged(engineUrl: string, setup: StdioSetup = {}): Promise<ManagedBridge> {
  const options = { noBuiltins: false, allowRun: true, ...setup.options }
  const bridge = startStdioBridge(engineUrl, { host: toTestHost(), ...setup, options })
  await bridge.open()
  await bridge.worker.ready()
  return {
    bridge,
    async call(name, input) {
      const answer = await bridge.result<ToolAnswer>('tools/call', { name, arguments: input })
      const { content, isError = false, structuredContent = {} } = answer
      return { text: content[0]?.text ?? '', isError, data: structuredContent as Record<string, unknown> }
    },
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  }
}
