import { randomUUID } from 'node:crypto'
import { type ExposureRules, type JsonObject, type ToolResult, toFault, toToolError, toToolResult } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import type { Gate } from '../gate/index.ts'
import type { McpCall } from '../mcp/call.ts'
import type { Params } from '../mcp/params.ts'
import { awaitFunction, type StartRequest } from './await-function.ts'
import { createGone } from './gone.ts'
import type { WorkerHost } from './host.ts'
import { makePrivateFolder } from './private-folder.ts'
import { findInterpreter, type Interpreter, type WorkerIdentity, writeProgram } from './programs.ts'
import { readText } from './tool-table.ts'
import { startProcess, type WorkerProcess } from './worker-process.ts'
import { readWorkerRequest, type WorkerRequest } from './worker-request.ts'

/** Workers that run the code of a client. They end with this process. */
export interface ManagedWorkers {
  /** @throws RpcError for arguments that are not what the schema asks for */
  register(input: JsonObject, call: McpCall, params: Params<'tools/call'>): Promise<ToolResult>
  stop(input: JsonObject): Promise<ToolResult>
  /** Ends them all. */
  close(): Promise<void>
}

export interface WorkersOptions {
  /** The engine that they connect to. */
  readonly url: string
  /** The namespace of the bridge, where they are, too. */
  readonly namespace: string | undefined
  readonly gate: Gate
  readonly rules: () => ExposureRules
  readonly host: WorkerHost
  readonly log: Logger
}

const MAX_WORKERS = 8
/** Of so many that ended by themselves it is known why. */
const MAX_REASONS = 32

const CREATED = 'Worker created and connecting to iii-engine'

interface Entry {
  readonly functionId: string
  /** Undefined until its files are written. */
  readonly process: WorkerProcess | undefined
}

export function createManagedWorkers({ url, namespace, gate, rules, host, log }: WorkersOptions): ManagedWorkers {
  const running = new Map<string, Entry>()
  const gone = createGone('Worker', MAX_REASONS)
  let isClosed = false

  /** Keeps a place and a name, before anything is waited for. @returns the text for the client where there is none */
  function reserve(id: string, { functionId }: WorkerRequest): string | undefined {
    if (running.size >= MAX_WORKERS)
      return `There are ${MAX_WORKERS} workers already, which is the most; stop one first`
    if ([...running.values()].some((other) => other.functionId === functionId)) return explainTaken(functionId)
    running.set(id, { functionId, process: undefined })
    return undefined
  }

  /** It may end at any time, by itself or because it was told to. */
  async function awaitEnd(id: string, functionId: string, process: WorkerProcess): Promise<void> {
    const status = await process.ended
    if (!running.delete(id)) return
    log.warn({ worker: id, function_id: functionId, status }, 'a worker that a client wrote has ended')
    gone.note(id, `it ended by itself with ${status}${quote(process)}`)
  }

  async function run(id: string, request: WorkerRequest, by: Interpreter, asked: StartRequest): Promise<ToolResult> {
    const { tier } = rules()
    const metadata = { 'mcp.expose': true, ...(tier !== undefined && { 'mcp.tier': tier }) }
    const process = await launch(by, request, { host, url, namespace, name: id, metadata })
    const { functionId } = request
    if (running.has(id)) running.set(id, { functionId, process })
    const ended = awaitEnd(id, functionId, process)
    if (isClosed) await process.stop('closing')
    const outcome = await awaitFunction(process, { functionId, gate, ...asked })
    if (outcome.kind === 'ended') {
      await ended
      gone.forget(id)
      return toToolError(`Worker exited immediately with status: ${outcome.status}${quote(process)}`)
    }
    const message = outcome.kind === 'there' ? CREATED : explainSilence(functionId, outcome.seconds, process, namespace)
    return toToolResult({ id, function_name: functionId, message })
  }

  return {
    async register(input, call, params) {
      const request = readWorkerRequest(input)
      if (typeof request === 'string') return toToolError(request)
      const interpreter = findInterpreter(host, request.language)
      if ('problem' in interpreter) return toToolError(interpreter.problem)
      const id = `worker-${randomUUID()}`
      const full = reserve(id, request)
      if (full !== undefined) return toToolError(full)
      try {
        const refusal = await refuseId(request.functionId, gate, call)
        if (refusal === undefined) return await run(id, request, interpreter, { call, params })
        running.delete(id)
        return toToolError(refusal)
      } catch (error) {
        running.delete(id)
        return toToolError(`Failed to write worker file: ${toFault(error).message}`)
      }
    },
    async stop(input) {
      const id = readText(input, 'id')
      if (id === undefined) return toToolError('Missing required field: id')
      const worker = await findRunning(running, id)
      if (worker?.process === undefined) return toToolError(gone.explain(id))
      running.delete(id)
      await worker.process.stop('asked')
      return toToolResult({ id, message: 'Worker stopped and cleaned up' })
    },
    async close() {
      isClosed = true
      const all = [...running.values()]
      running.clear()
      await Promise.all(all.map(async ({ process }) => process?.stop('closing')))
    },
  }
}

/** @returns the text for the client where no function of a worker may have this id */
async function refuseId(functionId: string, gate: Gate, { principal }: McpCall): Promise<string | undefined> {
  const found = await gate.admit(functionId, 'tool', principal)
  if (found.allowed) return explainTaken(functionId)
  return found.reason === 'unknown' ? undefined : found.message
}

/** A worker that ended before it was told to is taken out first. */
async function findRunning(running: ReadonlyMap<string, Entry>, id: string): Promise<Entry | undefined> {
  const process = running.get(id)?.process
  if (process?.isRunning === false) await process.ended
  return running.get(id)
}

function explainTaken(functionId: string): string {
  return `Function '${functionId}' is there already; choose another function_name`
}

/** @throws what the file system says */
async function launch(
  interpreter: Interpreter,
  request: WorkerRequest,
  registered: WorkerIdentity & { readonly host: WorkerHost },
): Promise<WorkerProcess> {
  const folder = await makePrivateFolder('iii-worker-')
  try {
    const program = await writeProgram(folder, interpreter, request, registered)
    return startProcess({ folder, ...interpreter, ...program, ...registered })
  } catch (error) {
    await folder.remove()
    throw error
  }
}

function explainSilence(
  functionId: string,
  seconds: number,
  process: WorkerProcess,
  namespace: string | undefined,
): string {
  const where = namespace === undefined ? '' : ` in the namespace '${namespace}' (III_NAMESPACE)`
  return [
    `Worker created, but '${functionId}' is not registered${where} after ${seconds} s: its code may wait for something, or the engine is busy.`,
    `It goes on; call the tool when it is listed, or end the worker with iii_worker_stop.${quote(process)}`,
  ].join(' ')
}

function quote(process: WorkerProcess): string {
  const tail = process.tail()
  return tail === '' ? '' : `\nIts output:\n${tail}`
}
