import { Fault, type McpMetadata, type ToolResult } from '@iii/protocol'
import type { Handler } from '../engine/call.ts'
import type { AnySchema, JsonSchema } from '../schema/json-schema.ts'
import { requireWorker, toKind } from '../suggestions/mistyped.ts'
import type { FunctionOptions, PayloadOf, Registration, ResultOf } from '../worker/function.ts'
import { requireKinds } from '../worker/option-kinds.ts'
import type { Worker } from '../worker/worker.ts'
import { type CancelDesk, cancelDeskOf } from './cancel-desk.ts'
import type { McpContext } from './mcp-context.ts'
import { type McpRunOptions, runMcp } from './mcp-run.ts'

/** What clients of the bridge are told of a function, without `mcp.` before it; see `McpMetadata` of `@iii/protocol`. */
export type McpFacts = Omit<McpMetadata, 'cancel' | 'keeps_result'>

export interface McpFunctionOptions<Request extends AnySchema = JsonSchema, Response extends AnySchema = AnySchema>
  extends FunctionOptions<Request, Response> {
  mcp?: McpFacts | undefined
  /** One that never asks its client (`ask`, `once`) says so, and is called faster. @default true */
  asks?: boolean | undefined
}

/** A function that speaks MCP and was registered. */
export interface McpFunctionRegistration extends Registration {
  /** Puts another one in its place, as {@link FunctionRegistration.replace} does. */
  replace<Input, Request extends AnySchema = JsonSchema, Response extends AnySchema = JsonSchema>(
    handler: McpHandler<PayloadOf<Request, Input>, ResultOf<Response> | ToolResult>,
    options?: McpFunctionOptions<Request, Response>,
  ): void
}

type McpHandler<Input, Result = unknown> = (input: Input, mcp: McpContext) => Result | Promise<Result>

/**
 * Offers a function that speaks MCP: it reports progress, logs, asks its client, and hears that it was cancelled. Called by a worker it does
 * the same work, and reports to nobody. Apart from its second argument a handler is that of `worker.registerFunction`.
 *
 * It runs again from the top when its client has answered a question, see {@link McpContext.ask}. With `mcp.task` its result is
 * written to engine state before it is answered, so that it outlives the bridge.
 *
 * @throws Fault `conflict` for an id this worker offers already, `invalid_input` for what cannot be sent.
 *
 * @example
 * registerMcpFunction(
 *   worker,
 *   'shop::empty',
 *   async (_input, { ask, progress }) => {
 *     const sure = z.object({ sure: z.boolean() })
 *     const answer = await ask.form('Empty the whole shop?', sure, { default: { sure: false } })
 *     if (answer.action !== 'accept' || !answer.content.sure) return { removed: 0 }
 *     progress(1, 2, 'Counted')
 *     return { removed: 7 }
 *   },
 *   { description: 'Empties the shop', request_format: z.object({}), mcp: { annotations: { destructiveHint: true } } },
 * )
 */
export function registerMcpFunction<
  Input,
  Request extends AnySchema = JsonSchema,
  Response extends AnySchema = JsonSchema,
>(
  worker: Worker,
  id: string,
  // What is owed is spelled out: the compiler shows it in its words where something else is returned.
  handler: McpHandler<PayloadOf<Request, Input>, ResultOf<Response> | ToolResult>,
  options?: McpFunctionOptions<Request, Response>,
): McpFunctionRegistration {
  requireWorker('registerMcpFunction', worker, '(worker, id, handler, options)')
  const desk = cancelDeskOf(worker)
  const toPlain = (ours: McpHandler<never>, said: McpFunctionOptions<AnySchema> = {}) => {
    requireKinds(id, said)
    requireAsks(id, said)
    return toPlainFunction({ worker, desk }, ours, said)
  }
  const registration = worker.registerFunction(id, ...toPlain(handler, options))
  desk.serve()
  return {
    ...registration,
    replace: (next: McpHandler<never>, said?: McpFunctionOptions<AnySchema>) =>
      registration.replace(...toPlain(next, said)),
  }
}

/** @throws Fault `invalid_input` for what would be taken for yes */
function requireAsks(id: string, options: { asks?: unknown; ask?: unknown }): void {
  const { ask, asks = true } = options
  if (ask !== undefined) {
    throw new Fault('invalid_input', `The function '${id}' has 'ask', which is not read; did you mean 'asks'?`)
  }
  if (typeof asks === 'boolean') return
  throw new Fault('invalid_input', `The field asks of the function '${id}' must be true or false, not ${toKind(asks)}`)
}

/** What a worker registers for it. */
function toPlainFunction(
  { worker, desk }: Pick<McpRunOptions, 'worker' | 'desk'>,
  handler: McpHandler<never>,
  { mcp: facts, asks = true, ...options }: McpFunctionOptions<AnySchema>,
): [Handler, FunctionOptions<JsonSchema>] {
  const mcp = facts ?? {}
  const run = { worker, desk, timeoutMs: mcp.timeout_ms, asks }
  const plain: Handler = (input, metadata, call) =>
    runMcp(run, { metadata, call }, (context) => handler(input as never, context))
  return [
    // What is no function is refused as any other handler.
    typeof handler === 'function' ? plain : handler,
    { ...(options as FunctionOptions<JsonSchema>), mcp: { ...mcp, ...ownFacts(mcp, desk) } },
  ]
}

/** Who keeps the results of its tasks says so. */
function ownFacts({ task }: McpFacts, { id: cancel }: CancelDesk): McpMetadata {
  return task === undefined ? { cancel } : { cancel, keeps_result: true }
}
