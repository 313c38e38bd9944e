import { type JsonObject, type ToolResult, toFault, toToolError } from '@iii/protocol'
import type { Logger, Worker } from '@iii/sdk'
import { answersToGrant } from '../auth/decision.ts'
import type { Gate } from '../gate/index.ts'
import type { Sight } from '../gate/sight.ts'
import type { Slots } from '../invocation/slots.ts'
import type { McpCall } from '../mcp/call.ts'
import type { Params } from '../mcp/params.ts'
import { type ReadyResult, RpcError, readyMembers, toReady } from '../mcp/rpc.ts'
import type { BridgeOptions } from '../options.ts'
import { isShown, refuseTool } from './admission.ts'
import type { WorkerHost } from './host.ts'
import { createInvoke } from './invoke.ts'
import { findManagementTool, MANAGEMENT_ROWS, PLACED_ROWS } from './tool-table.ts'
import { createAttachedTriggers } from './triggers.ts'
import { createManagedWorkers } from './workers.ts'

export { isShown, type ManagementRules, refuseTool } from './admission.ts'
export { readWorkerHost, type WorkerHost } from './host.ts'
export { findManagementTool, MANAGEMENT_TOOLS, type ManagementTool } from './tool-table.ts'

/** The tools that are not functions: with them a client drives the engine. */
export interface Management {
  /** Puts them before the tools of the engine, for whoever may see them. */
  list(tools: ReadyResult, call: Pick<McpCall, 'attached' | 'principal'>): ReadyResult
  /** Are there any for this client? For somebody who has a grant that does not name them there are none. */
  isThere(call: McpCall): boolean
  /**
   * @param name of one of them
   * @param params those of the request: they say whether its client wants to hear of progress
   * @throws RpcError for arguments that are not what the schema asks for, and when there are too many calls
   */
  call(name: string, input: JsonObject, call: McpCall, params: Params<'tools/call'>): Promise<ToolResult>
  /** The settings have changed: what was attached and would not be allowed any more is detached. */
  recheck(): Promise<void>
  /** Ends what they have started. Resolves when nothing of it is left. */
  close(): Promise<void>
}

export interface ManagementOptions {
  readonly worker: Pick<Worker, 'url' | 'namespace' | 'trigger' | 'registerTrigger'>
  readonly gate: Gate
  readonly sight: Sight
  readonly slots: Slots
  readonly options: () => BridgeOptions
  readonly host: WorkerHost
  /** For each question to the engine. */
  readonly timeoutMs: number
  /** Told when a client has attached or detached a trigger: the engine has no event for that. */
  readonly onEngineChange: () => void
  readonly log: Logger
}

export function createManagement(facts: ManagementOptions): Management {
  const { worker, gate, sight, slots, options, host, timeoutMs, onEngineChange, log } = facts
  const invoke = createInvoke({ gate, sight, slots })
  const apiPath = () => options().apiPath
  const triggers = createAttachedTriggers({ worker, gate, sight, apiPath, timeoutMs, onChange: onEngineChange })
  const { url, namespace } = worker
  const workers = createManagedWorkers({ url, namespace, gate, rules: options, host, log })
  const runs = new Map<string, Run>([
    ['iii_worker_register', workers.register],
    ['iii_worker_stop', workers.stop],
    ['iii_trigger_register', triggers.register],
    ['iii_trigger_unregister', triggers.unregister],
    ['iii_trigger_void', invoke.toVoid],
    ['iii_trigger_enqueue', invoke.enqueue],
  ])
  const made = new WeakMap<ReadyResult, { readonly isWide: boolean; readonly to: ReadyResult }>()

  return {
    list(tools, call) {
      if (!isShown(options(), call)) return tools
      const { isWide } = sight
      const known = made.get(tools)
      if (known?.isWide === isWide) return known.to
      const to = withRows(tools, isWide)
      made.set(tools, { isWide, to })
      return to
    },
    isThere: (call) => !answersToGrant(call.principal) || isShown(options(), call),
    async call(name, input, call, params) {
      const [tool, run] = [findManagementTool(name), runs.get(name)]
      if (tool === undefined || run === undefined) throw new Error(`${name} is no management tool`)
      const refusal = refuseTool(tool, options(), call)
      if (refusal !== undefined) return toToolError(refusal)
      try {
        return await run(input, call, params)
      } catch (error) {
        if (error instanceof RpcError) throw error
        return toToolError(toFault(error).message)
      }
    },
    recheck: triggers.recheck,
    async close() {
      triggers.close()
      await workers.close()
    },
  }
}

type Run = (input: JsonObject, call: McpCall, params: Params<'tools/call'>) => ToolResult | Promise<ToolResult>

const LIST_OPENS = '"tools":['

function withRows(tools: ReadyResult, isWide: boolean): ReadyResult {
  const rows = readyMembers(tools)?.slice(LIST_OPENS.length) ?? ']'
  return toReady(`${LIST_OPENS}${isWide ? PLACED_ROWS : MANAGEMENT_ROWS}${rows === ']' ? '' : ','}${rows}`)
}
