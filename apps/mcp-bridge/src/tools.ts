import {
  checkDepth,
  FETCH_TOOL_ID,
  findUnsafeInteger,
  isManagementToolName,
  type ToolResult,
  toFault,
  toToolError,
  toToolResult,
} from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import { isAbsent } from './absent.ts'
import type { McpCall, ReadyResult } from './call.ts'
import type { Catalog } from './catalog/index.ts'
import { createDeadline, type Deadline } from './deadline.ts'
import { toFetchRequest } from './fetch-request.ts'
import type { Gate, Pass } from './gate.ts'
import { isObject, type JsonObject, RPC, RpcError } from './rpc.ts'
import type { ToSidecar } from './sidecar.ts'

/** Functions of the engine as MCP tools. */
export interface Tools {
  list(): Promise<ReadyResult>
  call(params: JsonObject, call: McpCall): Promise<JsonObject>
}

export interface ToolsOptions {
  readonly catalog: Catalog
  readonly gate: Gate
  readonly toSidecar: ToSidecar
  readonly log: Logger
}

interface ToolRequest {
  readonly name: string
  readonly input: JsonObject
}

export function createTools({ catalog, gate, toSidecar, log }: ToolsOptions): Tools {
  async function run(request: ToolRequest, call: McpCall): Promise<ToolResult> {
    const deadline = createDeadline(call.limits.timeoutMs)
    if (isManagementToolName(request.name)) return toDisabled(request.name)
    const functionId = await catalog.find(request.name)
    const pass = functionId === undefined ? undefined : await gate.admit(functionId, 'tool')
    if (pass === undefined || (!pass.allowed && pass.reason === 'unknown')) throw unknownTool(request.name)
    return pass.allowed ? invoke(pass, request, call, deadline) : toToolError(pass.message)
  }

  async function invoke(
    pass: Pass,
    { name, input }: ToolRequest,
    call: McpCall,
    deadline: Deadline,
  ): Promise<ToolResult> {
    const { id } = pass.detail
    const request = id === FETCH_TOOL_ID ? await toFetchRequest(input, gate) : { input }
    if (request.refusal !== undefined) return toToolError(request.refusal)
    const options = { timeoutMs: deadline.leftMs(), metadata: toSidecar(call), signal: call.signal }
    try {
      const value = await pass.call(request.input, options)
      return toToolResult(value, { hasOutputSchema: catalog.hasOutputSchema(id) })
    } catch (error) {
      if (isAbsent(error, id)) throw unknownTool(name)
      return toToolError(explain(error, id, deadline))
    }
  }

  return {
    list: () => catalog.list(),
    async call(params, call) {
      const startedAt = performance.now()
      const request = readRequest(params)
      let outcome = 'refused'
      try {
        const result = await run(request, call)
        outcome = result.isError ? 'error' : 'ok'
        return { ...result }
      } finally {
        const ms = Math.round(performance.now() - startedAt)
        log.debug({ tool: request.name.slice(0, 64), client: call.client?.name, outcome, ms }, 'tool call')
      }
    },
  }
}

function readRequest(params: JsonObject): ToolRequest {
  const { name } = params
  if (typeof name !== 'string' || name === '') throw invalid("tools/call needs a non-empty string 'name'")
  const input = params['arguments'] ?? {}
  if (!isObject(input)) throw invalid("'arguments' must be an object")
  const problem = checkDepth(input)
  if (problem !== undefined) throw invalid(`'arguments' is ${problem}`)
  const unsafe = findUnsafeInteger(input)
  if (unsafe !== undefined) {
    throw invalid(
      `the integer at ${unsafe} in 'arguments' is beyond 2^53 and would change silently; send it as a string`,
    )
  }
  return { name, input }
}

function invalid(problem: string): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid params: ${problem}`)
}

function unknownTool(name: string): RpcError {
  return new RpcError(RPC.invalidParams, `Unknown tool: ${name.slice(0, 128).toWellFormed()}`)
}

function toDisabled(name: string): ToolResult {
  return toToolError(`Tool '${name}' is disabled on this server (management tools are not available over HTTP here)`)
}

/** Why a call brought no result, in words that tell the model whether trying again is safe. */
function explain(error: unknown, functionId: string, deadline: Deadline): string {
  const fault = toFault(error)
  if (deadline.isOver()) {
    return `${functionId} did not answer within ${deadline.seconds} s. The outcome is unknown: it may still finish. It was not called again.`
  }
  if (fault.code === 'worker_lost') {
    return `${functionId} was interrupted, because its worker went away. The outcome is unknown. It was not called again.`
  }
  return fault.message
}
