import { type McpContext, registerMcpFunction, type Worker } from '@iii/sdk'
import type { ToolFunction } from '../catalog/received-tool.ts'
import type { OfferedFunction } from './function-set.ts'

export type FunctionHandler = (fn: ToolFunction, input: unknown, mcp: McpContext) => Promise<unknown>

/** Puts a function on the engine. */
export function offerFunction(worker: Worker, first: ToolFunction, handle: FunctionHandler): OfferedFunction {
  const toHandler = (fn: ToolFunction) => (input: unknown, mcp: McpContext) => handle(fn, input, mcp)
  const toOptions = (fn: ToolFunction) => ({
    description: fn.description,
    request_format: fn.request_format,
    ...(fn.response_format === undefined ? {} : { response_format: fn.response_format }),
    metadata: { ...fn.metadata },
    mcp: { timeout_ms: fn.timeoutMs },
    asks: false,
  })
  const registration = registerMcpFunction(worker, first.id, toHandler(first), toOptions(first))
  return {
    replace: (fn) => registration.replace(toHandler(fn), toOptions(fn)),
    unregister: () => registration.unregister(),
  }
}
