import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Computer, toComputer } from '../management/index.ts'
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

/** A computer on which a Node can run the sources of this repository, and on which nothing but Node is installed. */
export function toTestComputer(own: Partial<Computer> = {}): Computer {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve(TYPESCRIPT)).href
  const env = { PATH: dirname(process.execPath), HOME: homedir(), AWS_SECRET_ACCESS_KEY: 'do-not-tell' }
  return { ...toComputer(env), nodeArgs: ['--conditions=@iii/source', `--import=${tsx}`], ...own }
}

/** What runs the sources; it is installed for the repository as a whole. */
const TYPESCRIPT: string = 'tsx'

/** It is ready when this resolves. */
export async function startManaged(engineUrl: string, setup: StdioSetup = {}): Promise<ManagedBridge> {
  const options = { noBuiltins: false, allowRun: true, ...setup.options }
  const bridge = startStdioBridge(engineUrl, { computer: toTestComputer(), ...setup, options })
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
