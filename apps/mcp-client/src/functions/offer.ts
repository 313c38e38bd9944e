import { type McpContext, registerMcpFunction, type Worker } from '@iii/sdk'
import type { ToolFunction } from '../catalog/received-tool.ts'
import type { OfferedFunction } from './function-set.ts'

export type FunctionHandler = (fn: ToolFunction, input: unknown, mcp: McpContext) => Promise<unknown>

/** Puts a function on the engine. @param timeoutMs so long a call may take in all */
export function offerFunction(
  worker: Worker,
  first: ToolFunction,
  handle: FunctionHandler,
  timeoutMs: () => number,
): OfferedFunction {
  const register = (fn: ToolFunction) =>
    registerMcpFunction(worker, fn.id, (input: unknown, mcp) => handle(fn, input, mcp), {
      description: fn.description,
      request_format: fn.request_format,
      ...(fn.response_format === undefined ? {} : { response_format: fn.response_format }),
      metadata: { ...fn.metadata },
      mcp: { timeout_ms: timeoutMs() },
    })
  let registration = register(first)
  return {
    replace(fn) {
      registration.unregister()
      registration = register(fn)
    },
    unregister: () => registration.unregister(),
  }
}
