import { createLog } from '@iii/sdk'
import type { ToolFunction } from '../catalog/received-tool.ts'
import type { ServerConfig } from '../configuration/server-config.ts'
import { ServerFailure } from '../diagnostics/diagnostic.ts'
import { createFunctionSet } from '../functions/function-set.ts'
import { createSecretFilter } from '../redaction/secret-filter.ts'
import { createServer, type Server } from '../servers/server.ts'
import { createStartGate, type StartGate } from '../servers/start-gate.ts'
import { loadProtocolClient } from '../session/protocol-client.ts'
import { createManualClock, type ManualClock, settle } from './manual-clock.ts'
import { behave, createMemoryProcess, type MemoryProcess, type ProcessMessage } from './memory-process.ts'
import { toConfig } from './server-config.ts'

/** A server whose processes are in memory, in a time that the test moves. */
export interface MemoryServerStage extends AsyncDisposable {
  readonly clock: ManualClock
  readonly server: Server
  /** All that were started. */
  readonly processes: MemoryProcess[]
  readonly last: () => MemoryProcess
  /** Ids of its functions on the engine. */
  readonly ids: () => readonly string[]
  /** What happened to its functions, as `+id`, `~id` and `-id`. */
  readonly changes: string[]
  /** Codes of what the log was warned of. */
  readonly warned: string[]
  /** The lists that were held to what is approved. */
  readonly judged: string[][]
  /** What the next of them waits for until it is judged. */
  held: Promise<void> | undefined
  /** What it lists; another one counts from its next list on. */
  tools: object[]
  /** Who has functions under its name; an error where the engine does not say. */
  conflict: string | Error | undefined
  /** Why its secrets cannot be read. */
  missing: string | undefined
}

export interface ServerSetup {
  readonly config?: Partial<ServerConfig>
  readonly clock?: ManualClock
  readonly gate?: StartGate
  /** Answers in place of a well-behaved server. */
  answer?(message: ProcessMessage, process: MemoryProcess): void
}

export const tool = (name: string, facts: object = {}) => ({ name, inputSchema: { type: 'object' }, ...facts })

// Its first load takes longer than any turn that a test waits for.
await loadProtocolClient({ name: 'test', version: '0' })

export async function startServer({
  config,
  clock = createManualClock(),
  gate,
  answer,
}: ServerSetup = {}): Promise<MemoryServerStage> {
  const processes: MemoryProcess[] = []
  const changes: string[] = []
  const judged: string[][] = []
  const warned: string[] = []
  const functions = createFunctionSet({
    register(fn: ToolFunction) {
      changes.push(`+${fn.id}`)
      return {
        replace: () => void changes.push(`~${fn.id}`),
        unregister: () => void changes.push(`-${fn.id}`),
      }
    },
    onChange: () => undefined,
    onProblem: () => undefined,
  })
  const stage = {
    held: undefined as Promise<void> | undefined,
    tools: [tool('echo')] as object[],
    conflict: undefined as string | Error | undefined,
    missing: undefined as string | undefined,
  }
  const server = createServer({
    entry: { name: 'demo', config: toConfig(config), warnings: [] },
    starter: {
      clock,
      client: { name: 'test', version: '0' },
      async prepare() {
        if (stage.missing !== undefined) throw new ServerFailure('secret_missing', stage.missing)
        return { variables: {}, filter: createSecretFilter(['s3cr3t-value']) }
      },
      spawn() {
        const process = createMemoryProcess(answer ?? ((message, own) => behave(message, own, stage.tools)))
        processes.push(process)
        return process
      },
    },
    gate: gate ?? createStartGate(clock),
    functions,
    pins: {
      async judge(_server, tools) {
        judged.push(tools.map(({ name }) => name))
        await stage.held
        return { approved: tools, pending: [] }
      },
    },
    log: Object.assign(createLog({ name: 'test', level: 'silent' }), {
      warn: ({ code }: { code: string }) => void warned.push(code),
    }),
    async findConflict() {
      if (stage.conflict instanceof Error) throw stage.conflict
      return stage.conflict
    },
  })
  return Object.assign(stage, {
    ...{ clock, server, processes, changes, judged, warned, ids: () => functions.ids },
    last: () => processes.at(-1) as MemoryProcess,
    [Symbol.asyncDispose]: () => server.close(),
  })
}

/** Lets the server start, and whatever comes of that. */
export async function allow(stage: MemoryServerStage): Promise<void> {
  stage.server.allow(true)
  await settle()
  await settle()
}
