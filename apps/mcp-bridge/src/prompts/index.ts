import {
  checkDepth,
  checkPromptName,
  isRecord,
  type JsonObject,
  McpPrompt,
  PromptMessage,
  promptsFunctions,
  toFault,
} from '@iii/protocol'
import type { GetPromptResult, InputRequiredResult, ListPromptsResult, Prompt } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { answersToGrant } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import type { Denial, Gate, Pass } from '../gate/index.ts'
import { promptNotFound } from '../gate/unknown-name.ts'
import type { Invoker } from '../invocation/index.ts'
import type { McpCall } from '../mcp/call.ts'
import { toKnownBlock } from '../mcp/known-blocks.ts'
import type { Params } from '../mcp/params.ts'
import { invalidParams, RPC, RpcError } from '../mcp/rpc.ts'
import { type RegistryClient, toRegistryError, WITH_SILENT_REGISTRY, WITHOUT_REGISTRY } from '../resources/registry.ts'
import { type CannedPrompts, isMistake } from './canned/index.ts'
import { createPromptHandlers, type FunctionOf } from './prompt-handlers.ts'

/** Registered prompts, rendered by functions, as MCP prompts; and those that the bridge brings along. */
export interface McpPrompts {
  list(call: McpCall): Promise<ListPromptsResult>
  /** What is listed while nothing is known of the engine. */
  listBuiltIn(): ListPromptsResult
  /** What is listed while the registry does not answer. */
  listRest(): Promise<ListPromptsResult>
  get(params: Params<'prompts/get'>, call: McpCall): Promise<GetPromptResult | InputRequiredResult>
  /** The handler of a prompt, past the gate; undefined where the registry does not name it. @throws RpcError for a prompt that is not there or hidden */
  admit(name: string, call: McpCall): Promise<Pass | undefined>
  /** Is it one of ours? A registered prompt of the same name counts before it, unless it is there for nobody like the caller. @throws RpcError for one that is switched off */
  isCanned(name: string, call: McpCall): Promise<boolean>
}

export interface McpPromptsOptions {
  readonly registry: RegistryClient
  readonly canned: CannedPrompts
  readonly gate: Gate
  readonly invoker: Invoker
  /** The namespace of the bridge. @default 'default' */
  readonly own?: string | undefined
  /** So long a prompt of ours waits for the registry, which may have another one of its name. */
  readonly timeoutMs: number
}

export function createMcpPrompts({ registry, canned, gate, invoker, own, timeoutMs }: McpPromptsOptions): McpPrompts {
  const handlers = createPromptHandlers(registry, own)

  async function admit(name: string, call: McpCall): Promise<Pass | undefined> {
    const { principal, limits, trace } = call
    const functionOf = await handlers.search(name, limits.plainMs)
    if (!functionOf.has(name)) {
      // As of one whose function is hidden, so that records of the two are alike.
      trace?.failed('unknown')
      throw await notFound(name, call)
    }
    const functionId = functionOf.get(name)
    const pass =
      functionId === undefined
        ? gate.judgeUnnamed(`the prompt '${name}'`, principal)
        : await gate.admit(functionId, 'prompt', principal)
    if (functionId !== undefined && pass !== undefined) trace?.leadsTo(functionId, pass)
    if (pass?.allowed === false)
      throw isForNobody(pass, call) ? await notFound(name, call) : await handlers.toRefusal(name, pass, limits.plainMs)
    return pass
  }

  async function isCanned(name: string, call: McpCall): Promise<boolean> {
    const isOff = canned.isOff(name)
    if (!isOff && !canned.has(name)) return false
    const functionOf = await handlers.glance(timeoutMs)
    if (functionOf.has(name)) {
      const denialOf = await judgeAll(gate, new Map([[name, functionOf.get(name)]]), call.principal)
      if (!isForNobody(denialOf(name), call)) return false
    }
    if (isOff) throw new RpcError(RPC.invalidParams, `Prompt '${name}' is disabled on this server`)
    return true
  }

  async function list(call: McpCall): Promise<ListPromptsResult> {
    const timeoutMs = call.limits.plainMs
    const [found, functionOf] = await Promise.all([
      registry.find<Prompt>(promptsFunctions.mcpList, 'prompts', timeoutMs),
      handlers.list(timeoutMs),
    ])
    const denialOf = await judgeAll(gate, functionOf, call.principal)
    // One row that clients cannot read makes official ones refuse the whole list.
    const isShown = (name: unknown) => typeof name === 'string' && functionOf.has(name) && denialOf(name) === undefined
    const isFree = (name: string) => !functionOf.has(name) || isForNobody(denialOf(name), call)
    const registered = found?.filter((row) => isShown(row.name) && McpPrompt.safeParse(row).success) ?? []
    const prompts = [...registered, ...canned.list().filter(({ name }) => isFree(name))]
    return { prompts, ...(found ? {} : WITHOUT_REGISTRY) }
  }

  /** Of what is hidden from the client no name is told. */
  async function notFound(name: string, call: McpCall, mistake?: string): Promise<RpcError> {
    const { prompts } = await list(call).catch(() => ({ prompts: [] }))
    return promptNotFound(name, prompts.map(toName), mistake)
  }

  return {
    admit,
    isCanned,
    ...toCannedLists(canned),
    list,
    async get(params, call) {
      const name = readName(params)
      const mistake = checkPromptName(name)
      if (mistake !== undefined) throw await notFound(name, call, mistake)
      const input = readInput(params)
      const startedAt = performance.now()
      if (await isCanned(name, call)) return getCanned(canned, name, input)
      const pass = await admit(name, call)
      const payload = input === undefined ? { name } : { name, arguments: input }
      const through = registry.through(promptsFunctions.mcpGet, pass)
      const invocation = { pass: through, payload, startedAt }
      const outcome = await invoker.run(invocation, call, params).catch(async (error: unknown) => {
        throw toFault(error).code === 'not_found' ? await notFound(name, call) : toRegistryError(error)
      })
      if (outcome.kind === 'input_required') return outcome.result
      return toResult(outcome.value, call)
    },
  }
}

function toCannedLists(canned: Pick<CannedPrompts, 'list'>): Pick<McpPrompts, 'listBuiltIn' | 'listRest'> {
  return {
    listBuiltIn: () => ({ prompts: canned.list(), ...WITHOUT_REGISTRY }),
    listRest: async () => ({ prompts: canned.list(), ...WITH_SILENT_REGISTRY }),
  }
}

const toName = ({ name }: Pick<Prompt, 'name'>): string => String(name)

/** What stands against each of these prompts. */
async function judgeAll(
  gate: Gate,
  functionOf: FunctionOf,
  principal: Principal,
): Promise<(name: unknown) => Denial | undefined> {
  const named = new Set([...functionOf.values()].filter((id) => id !== undefined))
  const denials = await gate.judge([...named], 'prompt', principal).catch(() => {
    throw new RpcError(RPC.internal, 'The engine did not say what the functions behind the prompts are')
  })
  const ofUnnamed = gate.judgeUnnamed('a prompt', principal)
  return (name) => {
    const functionId = functionOf.get(name)
    return functionId === undefined ? ofUnnamed : denials.get(functionId)
  }
}

/** A message that may be about anything: that is for the registry to say. */
const AnyMessage = PromptMessage.extend({ content: z.looseObject({ type: z.string() }) })

function toResult(answer: unknown, call: McpCall): GetPromptResult {
  const given = isRecord(answer) ? answer['messages'] : undefined
  if (!isRecord(answer) || !Array.isArray(given) || !given.every((message) => AnyMessage.safeParse(message).success)) {
    throw new RpcError(RPC.internal, 'The registry answered without messages')
  }
  const messages = given.map((message: unknown) => {
    const { success, data } = PromptMessage.safeParse(message)
    return success ? { ...data, content: toKnownBlock(data.content, call) } : message
  })
  return { ...answer, messages } as GetPromptResult
}

function getCanned(canned: CannedPrompts, name: string, input: JsonObject | undefined): GetPromptResult {
  const answer = canned.get(name, input)
  if (isMistake(answer)) throw new RpcError(RPC.invalidParams, answer.mistake)
  return answer
}

function readName({ name }: Params<'prompts/get'>): string {
  if (typeof name !== 'string') throw invalidParams("prompts/get needs a non-empty string 'name'")
  return name
}

function readInput(params: Params<'prompts/get'>): JsonObject | undefined {
  const input = params.arguments ?? undefined
  if (input !== undefined && !isRecord(input)) throw invalidParams("'arguments' must be an object")
  const problem = checkDepth(input)
  if (problem !== undefined) throw invalidParams(`'arguments' is ${problem}`)
  return input
}

/** What nobody has behind it, or a grant hides, is for those who have a grant as if nobody had registered it. */
function isForNobody(denial: Denial | undefined, { principal }: McpCall): boolean {
  return answersToGrant(principal) && (denial?.reason === 'unknown' || denial?.why !== undefined)
}
