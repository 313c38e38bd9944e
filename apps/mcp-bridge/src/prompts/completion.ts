import { CompletionAnswer, CompletionRequest, isRecord } from '@iii/protocol'
import { formatIssues } from '@iii/sdk'
import type { CompleteResult } from '@modelcontextprotocol/server'
import type { Gate, Pass } from '../gate/index.ts'
import { toKey } from '../gate/sight.ts'
import type { Invoker } from '../invocation/index.ts'
import type { McpCall } from '../mcp/call.ts'
import type { Params } from '../mcp/params.ts'
import { invalidParams, RPC, RpcError, toRpcError } from '../mcp/rpc.ts'
import type { DeclaredResources } from '../resources/declared/index.ts'
import type { EngineResources } from '../resources/engine/index.ts'
import type { McpResources } from '../resources/index.ts'
import { toRegistryError } from '../resources/registry.ts'
import type { CannedPrompts } from './canned/index.ts'
import type { McpPrompts } from './index.ts'

/** What the arguments of prompts and the variables of templates may be, by the functions that know it. */
export interface Completion {
  complete(params: Params<'completion/complete'>, call: McpCall): Promise<CompleteResult>
}

export interface CompletionOptions {
  readonly prompts: Pick<McpPrompts, 'admit' | 'isCanned'>
  readonly canned: Pick<CannedPrompts, 'complete'>
  readonly engine: Pick<EngineResources, 'complete'>
  readonly resources: Pick<McpResources, 'check' | 'templates'>
  readonly declared: Pick<DeclaredResources, 'functionOfTemplate'>
  readonly gate: Gate
  readonly invoker: Invoker
}

/** MCP allows no more in one answer. */
const MAX_VALUES = 100

export function createCompletion(options: CompletionOptions): Completion {
  const { prompts, canned, resources, engine, declared, gate, invoker } = options

  /** The function that an argument belongs to; undefined for what has none, or none that is named. */
  async function findOwner(ref: CompletionRequest['ref'], call: McpCall): Promise<Pass | undefined> {
    if (ref.type === 'ref/prompt') return prompts.admit(ref.name, call)
    const functionId = await declared.functionOfTemplate(ref.uri, call.principal)
    if (functionId !== undefined) return requirePass(functionId, 'section', call)
    const { resourceTemplates } = await resources.templates(call)
    const isListed =
      Array.isArray(resourceTemplates) &&
      resourceTemplates.some((row) => isRecord(row) && row['uriTemplate'] === ref.uri)
    // Whoever asks about something that is not there has asked wrongly, in every revision.
    if (!isListed) {
      await resources.check(ref.uri, call).catch((error: unknown) => {
        const { code, message, data } = toRpcError(error)
        throw new RpcError(code === RPC.resourceNotFound ? RPC.invalidParams : code, message, data)
      })
    }
    return undefined
  }

  async function requirePass(functionId: string, way: 'section' | 'aid', { principal }: McpCall): Promise<Pass> {
    const pass = await gate.admit(functionId, way, principal)
    if (pass.allowed) return pass
    throw new RpcError(pass.reason === 'unverified' ? RPC.internal : RPC.invalidParams, pass.message)
  }

  /** Values that the bridge knows by itself; undefined where a function has to be asked. */
  async function findKnown(
    { ref, argument }: CompletionRequest,
    call: McpCall,
  ): Promise<readonly string[] | undefined> {
    if (ref.type === 'ref/resource') return engine.complete(ref.uri, argument, call.principal)
    return (await prompts.isCanned(ref.name, call)) ? canned.complete(ref.name, argument, call.principal) : undefined
  }

  return {
    async complete(params, call) {
      const request = readRequest(params)
      const known = await findKnown(request, call).catch((error: unknown) => {
        throw toRegistryError(error)
      })
      if (known !== undefined) return toResult([...known])
      const owner = await findOwner(request.ref, call)
      const completer = owner?.metadata.complete
      if (completer === undefined) return toResult([])
      // Like the handler of a prompt it is named on purpose, and need not be a tool.
      const { namespace } = owner ?? {}
      const pass = await requirePass(toKey({ namespace, id: completer }), 'aid', call)
      const { limits } = call
      const quick = { ...call, limits: { ...limits, timeoutMs: limits.plainMs } }
      const answer = await invoker.once({ pass, payload: request }, quick, params).catch((error: unknown) => {
        throw toRegistryError(error)
      })
      const { data } = CompletionAnswer.safeParse(answer.kind === 'value' ? answer.value : undefined)
      if (data === undefined)
        throw new RpcError(RPC.internal, `${completer} answered with something that is no list of values`)
      return toResult(data)
    },
  }
}

function readRequest(params: Params<'completion/complete'>): CompletionRequest {
  const { success, data, error } = CompletionRequest.safeParse(toStated(params))
  if (success) return data
  throw invalidParams(`${formatIssues(error.issues, 'params')}`)
}

/** Clients may write null for arguments that they do not know: mcp-go did so in every request. */
function toStated({ context, ...request }: Params<'completion/complete'>): object {
  const isUnknown = context === null || (isRecord(context) && context['arguments'] === null)
  return isUnknown || context === undefined ? request : { ...request, context }
}

function toResult(answer: CompletionAnswer): CompleteResult {
  const {
    values: all,
    total,
    has_more,
    hasMore: said,
  }: Exclude<CompletionAnswer, readonly string[]> = Array.isArray(answer) ? { values: answer } : answer
  const values = all.slice(0, MAX_VALUES).map((value) => value.toWellFormed())
  const hasMore = said ?? has_more ?? (total ?? all.length) > values.length
  return { completion: { values, total: Math.max(total ?? 0, all.length), hasMore } }
}
