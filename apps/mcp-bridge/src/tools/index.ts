import {
  checkDepth,
  Fault,
  FETCH_TOOL_ID,
  findUnsafeInteger,
  isManagementToolName,
  readInstance,
  type ToolResult,
  toFault,
  toToolError,
  toToolResult,
} from '@iii/protocol'
import { isAbsent } from '../gate/absent.ts'
import type { Gate, Pass } from '../gate/index.ts'
import { type Placed, readKey } from '../gate/sight.ts'
import { unknownTool } from '../gate/unknown-name.ts'
import type { Invoker, SendOptions } from '../invocation/index.ts'
import { findManagementTool, type Management } from '../management/index.ts'
import type { McpCall } from '../mcp/call.ts'
import { type ReadyResult, toReady } from '../mcp/result.ts'
import { isObject, type JsonObject, RPC, RpcError } from '../mcp/rpc.ts'
import { toFetchRequest } from '../resources/fetch-request.ts'
import type { Job, Tasks } from '../tasks/index.ts'
import type { Catalog } from './catalog/index.ts'
import { checkParamHeaders } from './param-headers.ts'
import { toLimited } from './result-limit.ts'

/** Functions of the engine as MCP tools. */
export interface Tools {
  list(call: McpCall): Promise<ReadyResult>
  /** What is listed while nothing is known of the engine. */
  listBuiltIn(call: McpCall): ReadyResult
  call(params: JsonObject, call: McpCall): Promise<JsonObject>
  /** Is it a call that needs no engine? */
  worksAlone(params: JsonObject): boolean
}

export interface ToolsOptions {
  readonly catalog: Catalog
  readonly gate: Gate
  readonly invoker: Invoker
  readonly tasks: Pick<Tasks, 'begin'>
  readonly management: Pick<Management, 'list' | 'call'>
  /** Larger results are cut. */
  readonly maxResultBytes: () => number
}

interface ToolRequest {
  readonly name: string
  readonly input: JsonObject
  readonly params: JsonObject
  /** When it came, of `performance.now()`. */
  readonly startedAt: number
}

const NO_TOOLS = toReady('"tools":[]')

export function createTools({ catalog, gate, invoker, tasks, management, maxResultBytes }: ToolsOptions): Tools {
  async function run(request: ToolRequest, call: McpCall): Promise<ToolResult | JsonObject> {
    if (isManagementToolName(request.name)) return management.call(request.name, request.input, call, request.params)
    const functionId = await catalog.find(request.name)
    if (functionId === undefined) throw unknownTool(request.name, catalog)
    const pass = await gate.admit(functionId, 'tool')
    call.trace?.leadsTo(functionId, pass)
    if (!pass.allowed && pass.reason === 'unknown') throw unknownTool(request.name, catalog)
    if (!pass.allowed) return toToolError(pass.message)
    return invoke(pass, request, call).catch(toFailure)
  }

  async function invoke(pass: Pass, request: ToolRequest, call: McpCall): Promise<ToolResult | JsonObject> {
    const key = pass.detail.id
    const { id, namespace } = readKey(key)
    checkParamHeaders(catalog.headersOf(key), request.input, call)
    const send = async (options: SendOptions) => {
      const { input, unread } = await toPayload({ id, namespace }, request.input)
      const answer = await pass.call(input, options)
      return typeof answer === 'string' && unread !== undefined ? `${answer}\n\n${unread}` : answer
    }
    const invocation = { functionId: id, namespace, metadata: pass.metadata, startedAt: request.startedAt, send }
    const worker = readInstance(pass.detail.metadata)
    const job = { invocation, worker, hasOutputSchema: catalog.hasOutputSchema(key) }
    const takes = () => readArguments(pass.detail.requestSchema)
    try {
      return await perform(job, call, request.params, takes)
    } catch (error) {
      throw isAbsent(error, id) ? unknownTool(request.name, catalog) : error
    }
  }

  /** Each time it is called anew: what it is asked to fetch may be hidden by then. */
  async function toPayload(
    { id, namespace }: Placed,
    input: JsonObject,
  ): Promise<{ input: JsonObject; unread?: string | undefined }> {
    if (id !== FETCH_TOOL_ID) return { input }
    const asked = await toFetchRequest(input, gate, namespace)
    if (asked.refusal !== undefined) throw new Fault('forbidden', asked.refusal)
    return asked
  }

  /** As a task where that is wanted, else while the client waits. */
  async function perform(
    job: Job,
    call: McpCall,
    params: JsonObject,
    takes: () => readonly string[],
  ): Promise<ToolResult | JsonObject> {
    const begun = await tasks.begin(job, call, params)
    if (begun !== undefined) return begun
    const outcome = await invoker.run(job.invocation, call, params)
    if (outcome.kind === 'input_required') return outcome.result
    const { hasOutputSchema, invocation } = job
    const hasInput = isObject(params['arguments']) && Object.keys(params['arguments']).length > 0
    const result = toToolResult(outcome.value, { hasOutputSchema })
    return toLimited(result, { ...invocation, hasOutputSchema, hasInput, takes }, maxResultBytes())
  }

  return {
    list: async (call) => management.list(await catalog.list(), call),
    listBuiltIn: (call) => management.list(NO_TOOLS, call),
    worksAlone: ({ name }) => typeof name === 'string' && findManagementTool(name)?.worksAlone === true,
    async call(params, call) {
      const result = await run(readRequest(params), call)
      return { ...result }
    },
  }
}

function readRequest(params: JsonObject): ToolRequest {
  const startedAt = performance.now()
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
  return { name, input, params, startedAt }
}

function invalid(problem: string): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid params: ${problem}`)
}

/** What a function failed with is for the model to read; anything else is an error of the protocol. */
function toFailure(error: unknown): ToolResult {
  if (error instanceof RpcError) throw error
  return toToolError(toFault(error).message)
}

function readArguments(schema: unknown): string[] {
  const properties = isObject(schema) ? schema['properties'] : undefined
  return isObject(properties) ? Object.keys(properties) : []
}
