import {
  checkDepth,
  FETCH_TOOL_ID,
  findUnsafeInteger,
  isManagementToolName,
  isRecord,
  type JsonObject,
  readInstance,
  skillsFunctions,
  type ToolResult,
  toFault,
  toToolError,
  toToolResult,
} from '@iii/protocol'
import { isAbsent } from '@iii/sdk'
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { searchesTools, toPresent } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import type { Gate, Pass } from '../gate/index.ts'
import { unknownTool } from '../gate/unknown-name.ts'
import type { Invoker } from '../invocation/index.ts'
import { findManagementTool, type Management } from '../management/index.ts'
import type { McpCall } from '../mcp/call.ts'
import type { UnwrappedCall } from '../mcp/contract.ts'
import { toDataResult } from '../mcp/data-result.ts'
import type { Params } from '../mcp/params.ts'
import { invalidParams, type ReadyResult, RpcError, requireText, type TaskStateResult, toReady } from '../mcp/rpc.ts'
import { toBrief, toShownResult } from '../mcp/shown-result.ts'
import type { BridgeOptions } from '../options.ts'
import { toFetchPass, toFetchSidecar } from '../resources/fetch-request.ts'
import type { McpResources } from '../resources/index.ts'
import type { Tasks } from '../tasks/index.ts'
import { toListForm } from './catalog/held-lists.ts'
import type { Catalog } from './catalog/index.ts'
import { omitNulls } from './null-arguments.ts'
import { checkParamHeaders } from './param-headers.ts'
import { readArguments, toResultFacts } from './result-facts.ts'
import { createToolSearch, isSearchTool, type OnSearch } from './search/index.ts'

/** What a client gets for a call: a result, questions, or the handle of a task. */
export type ToolCallResult = CallToolResult | ReadyResult | InputRequiredResult | TaskStateResult

/** Functions of the engine as MCP tools. */
export interface Tools {
  list(call: McpCall): Promise<ReadyResult>
  /** What is listed while nothing is known of the engine. */
  listBuiltIn(call: McpCall): ReadyResult
  call(params: Params<'tools/call'>, call: McpCall): Promise<ToolCallResult>
  /** Is it a call that needs no engine? */
  worksAlone(params: Params<'tools/call'>): boolean
  /** Has a list few tools for whoever asks, and two that find and call the others? */
  searches(principal: Principal): boolean
  /** The call of a tool that another one was asked to call; undefined for a call by name. */
  unwrap(params: Params<'tools/call'>, call: McpCall): UnwrappedCall | undefined
}

export interface ToolsOptions {
  readonly catalog: Catalog
  readonly gate: Gate
  readonly invoker: Invoker
  readonly tasks: Pick<Tasks, 'begin'>
  readonly resources: Pick<McpResources, 'advise'>
  readonly management: Pick<Management, 'list' | 'isThere' | 'call'>
  readonly options: () => Pick<BridgeOptions, 'maxResultBytes' | 'tools' | 'pinnedTools'>
  readonly onSearch: OnSearch
}

interface ToolRequest {
  readonly name: string
  readonly input: JsonObject
  readonly params: Params<'tools/call'>
  /** When it came, of `performance.now()`. */
  readonly startedAt: number
}

/** A {@link ToolCallResult}, as our own types have it. */
type Answer = ToolResult | ReadyResult | InputRequiredResult | TaskStateResult

const NO_TOOLS = toReady('"tools":[]')
/** What reads a function as a section, for the bridge. */
const READER = skillsFunctions.resourcesRead.id

export function createTools(facts: ToolsOptions): Tools {
  const { catalog, gate, invoker, tasks, resources, management, options, onSearch } = facts
  const search = createToolSearch({ catalog, management, options, onSearch })
  const searches = (principal: Principal) => searchesTools(principal, options())
  const isSearching = ({ principal }: McpCall) => searches(principal)

  function run(request: ToolRequest, call: McpCall): Promise<Answer> {
    const own = callOwn(request, call)
    return own === undefined ? callFunction(request, call) : own.then((result) => toBrief(result, call))
  }

  /** The tools that are no functions; undefined for any other. */
  function callOwn({ name, input, params }: ToolRequest, call: McpCall): Promise<ToolResult> | undefined {
    if (isManagementToolName(name) && management.isThere(call)) return management.call(name, input, call, params)
    return isSearching(call) && isSearchTool(name) ? search.call(name, input, call) : undefined
  }

  async function toUnknown(name: string, principal: Principal): Promise<RpcError> {
    // Who may see less than when the call began is told less.
    const now = toPresent(principal)
    const where = searches(principal) ? 'search_tools finds all of them' : undefined
    return unknownTool(name, catalog.names(now), { meant: await search.suggest(name, now), where })
  }

  async function callFunction(request: ToolRequest, call: McpCall): Promise<Answer> {
    const { name } = request
    const { principal } = call
    const functionId = await catalog.find(name, principal)
    if (functionId === undefined) throw await toUnknown(name, principal)
    const pass = await gate.admit(functionId, 'tool', principal)
    call.trace?.leadsTo(functionId, pass)
    if (!pass.allowed && pass.reason === 'unknown') throw await toUnknown(name, principal)
    if (!pass.allowed) return toToolError(pass.message)
    try {
      return await invoke(pass, request, call)
    } catch (error) {
      if (isAbsent(error, pass.functionId)) throw await toUnknown(name, principal)
      return toFailure(error)
    }
  }

  async function invoke(pass: Pass, request: ToolRequest, call: McpCall): Promise<Answer> {
    const { functionId, metadata } = pass
    const { input, params, startedAt } = request
    const payload = toPayload(input, pass)
    const headers = catalog.headersOf(pass.detail.id)
    if (headers.length > 0) checkParamHeaders(headers, payload, call)
    const hasOutputSchema = catalog.hasOutputSchema(pass.detail.id)
    const fetching = functionId === FETCH_TOOL_ID && {
      pass: toFetchPass(pass, { gate, advise: (text) => resources.advise(text, call) }),
      sidecar: toFetchSidecar(options().maxResultBytes, call.principal),
    }
    const invocation = { pass, payload, startedAt, ...fetching }
    if (metadata.task !== undefined) {
      const worker = readInstance(pass.detail.metadata)
      const job = { invocation, worker, hasOutputSchema, takes: readArguments(pass) }
      const begun = await tasks.begin(job, call, params)
      if (begun !== undefined) return begun
    }
    const reply = await invoker.run(invocation, call, params)
    if (reply.kind === 'input_required') return reply.result
    const hasInput = Object.keys(payload).length > 0
    const facts = () => toResultFacts({ pass, hasOutputSchema, hasInput, hasReader: catalog.isThere(READER) })
    const { maxResultBytes } = options()
    const data = toDataResult(reply.value, call, maxResultBytes)
    return data ?? toShownResult(toToolResult(reply.value, { hasOutputSchema }), facts, call, maxResultBytes)
  }

  return {
    async list(call) {
      const listed = isSearching(call) ? search.list(call) : catalog.list(toListForm(call), call.principal)
      return management.list(await listed, call)
    },
    listBuiltIn: (call) => management.list(isSearching(call) ? search.builtIn : NO_TOOLS, call),
    searches,
    unwrap: (params, call) => (isSearching(call) ? search.unwrap(params, call) : undefined),
    worksAlone: ({ name }) => typeof name === 'string' && findManagementTool(name)?.worksAlone === true,
    call: (params, call) => run(readRequest(params), call) as Promise<ToolCallResult>,
  }
}

function readRequest(params: Params<'tools/call'>): ToolRequest {
  const startedAt = performance.now()
  const name = requireText(params.name, 'name', 'tools/call')
  const input = params.arguments ?? {}
  if (!isRecord(input)) throw invalidParams("'arguments' must be an object")
  const problem = checkDepth(input)
  if (problem !== undefined) throw invalidParams(`'arguments' is ${problem}`)
  const unsafe = findUnsafeInteger(input)
  if (unsafe !== undefined) {
    throw invalidParams(
      `the integer at ${unsafe} in 'arguments' is beyond 2^53 and would change silently; send it as a string`,
    )
  }
  return { name, input, params, startedAt }
}

function toPayload(input: JsonObject, { detail }: Pass): JsonObject {
  return holdsNull(input) ? omitNulls(input, detail) : input
}

function holdsNull(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(holdsNull))
}

/** What a function failed with is for the model to read; anything else is an error of the protocol. */
function toFailure(error: unknown): ToolResult {
  if (error instanceof RpcError) throw error
  return toToolError(toFault(error).message)
}
