import { randomUUID } from 'node:crypto'
import {
  type CallOutcome,
  Fault,
  type FaultCode,
  MCP_CLIENT_ON_CALL,
  McpCallBatch,
  McpCallConfig,
  readRunsMetadata,
  toFault,
} from '@iii/protocol'
import type { Logger, McpContext, Worker } from '@iii/sdk'
import { createCallFeed, refuseBinding, toEntry, toJsonBytes } from '@iii/sdk/call-feed'
import type { ToolFunction } from '../catalog/received-tool.ts'

/** Tells whoever is bound to `mcp-client::on-call` what workers have called; of calls through a bridge that one tells. */
export interface CallTelling {
  /** Does the work of a call, and tells of it when it is over. */
  tell<T>(fn: ToolFunction, input: unknown, mcp: McpContext, work: () => Promise<T>): Promise<T>
  /** Tells what waits, once. */
  close(): Promise<void>
}

interface EndedCall {
  readonly fn: ToolFunction
  readonly input: unknown
  readonly result: unknown
  readonly callId: string
  readonly startedAt: Date
  readonly ms: number
  readonly outcome: CallOutcome
  readonly code: string | undefined
}

export function serveCallTelling(worker: Worker, log: Logger): CallTelling {
  const feed = createCallFeed<EndedCall>({
    ...{ worker, log, type: MCP_CLIENT_ON_CALL, via: `mcp-client:${worker.instance}` },
    inputOf: ({ input, result }) => [input, result],
    toEntry: (ended, withInput) => toToldCall(ended, worker.namespace, withInput),
  })
  worker.registerTriggerType(
    {
      id: MCP_CLIENT_ON_CALL,
      description:
        'Tells of every call of a tool of an MCP server that came from a worker, once it is over, in batches.',
      trigger_request_format: McpCallConfig,
      call_request_format: McpCallBatch,
    },
    {
      registerTrigger(binding) {
        const problem = refuseBinding(MCP_CLIENT_ON_CALL, binding)
        if (problem !== undefined) throw new Fault('forbidden', problem)
        feed.bind(binding)
      },
      unregisterTrigger: ({ id }) => feed.unbind(id),
    },
  )
  return {
    async tell(fn, input, mcp, work) {
      if (!feed.isHeard || mcp.client !== undefined) return work()
      const end = begin(fn, input, mcp, feed.add)
      try {
        const result = await work()
        end(result, 'ok')
        return result
      } catch (error) {
        // Nobody gives up a call that no client waits for: where its signal has fired, its time was over.
        const { code } = toFault(error)
        end(undefined, toOutcome(code), code)
        throw error
      }
    },
    close: () => feed.close(),
  }
}

function begin(fn: ToolFunction, input: unknown, mcp: McpContext, add: (ended: EndedCall) => void) {
  const callId = mcp.call.invocationId || randomUUID()
  const startedAt = new Date()
  const began = performance.now()
  return (result: unknown, outcome: CallOutcome, code?: string) => {
    const ms = Math.round(performance.now() - began)
    add({ fn, input, result, callId, startedAt, ms, outcome, code })
  }
}

/** One that found no place was not made. */
function toOutcome(code: FaultCode): CallOutcome {
  return code === 'overloaded' ? 'refused' : 'error'
}

function toToldCall(ended: EndedCall, namespace: string | undefined, withInput: boolean) {
  const { fn, input, result, callId, startedAt, ms, outcome, code } = ended
  const record = {
    ...{ version: 1 as const, call_id: callId, kind: 'tool' as const, tool: fn.id, function_id: fn.id },
    ...(namespace === undefined ? {} : { namespace }),
    ...{ started_at: startedAt.toISOString(), ms, outcome },
    ...(code === undefined ? {} : { code }),
    bytes_in: toJsonBytes(input),
    bytes_out: toJsonBytes(result),
  }
  const { record: policy } = readRunsMetadata(fn.metadata)
  const told = { value: input, policy, schema: fn.request_format }
  return toEntry(record, told, { endedAt: startedAt.getTime() + ms, withInput })
}
