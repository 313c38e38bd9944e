import { cutUtf8, isRecord, MAX_MESSAGE_BYTES } from '@iii/protocol'
import type { McpContext } from '@iii/sdk'
import type { ToolFunction } from '../catalog/received-tool.ts'
import { boundResult } from '../results/bound-result.ts'
import { toFaultOf } from '../results/fault.ts'
import { fitsSchema } from '../results/output-check.ts'
import type { ServerConnection } from '../servers/connection.ts'
import { toNamedArguments } from './arguments.ts'
import { boundLogData, createLogPermits } from './log-messages.ts'
import { type CalledServer, callServer, toCallerKey } from './server-call.ts'

/**
 * Calls a tool once: what became of it is said, and it is never sent a second time.
 *
 * @throws Fault for what did not come about, and for what the tool calls an error where the caller reads no results of MCP
 */
export async function callServerTool(
  server: CalledServer,
  fn: ToolFunction,
  input: unknown,
  mcp: McpContext,
): Promise<unknown> {
  const args = toNamedArguments(input, `${fn.id} takes an object of arguments, as its schema says`) ?? {}
  return callServer(server, fn.id, mcp, async (connection) => {
    const result = await ask(server, connection, { fn, args, mcp })
    const hasOutputSchema = fn.response_format !== undefined
    const bounds = { resultBytes: server.config.limits.resultBytes, hasOutputSchema }
    const bounded = boundResult(result, bounds, connection.filter)
    checkOutput(server, fn, result)
    if (bounded.isError === true && mcp.client === undefined) throw toFaultOf(bounded, connection.filter)
    return bounded
  })
}

interface ToolRequest {
  readonly fn: ToolFunction
  readonly args: Readonly<Record<string, unknown>>
  readonly mcp: McpContext
}

async function ask(
  server: CalledServer,
  connection: ServerConnection,
  { fn, args, mcp }: ToolRequest,
): Promise<unknown> {
  const reports = createReports(server, connection, mcp)
  try {
    const { result } = await connection.session.request(
      'tools/call',
      { name: fn.tool, arguments: args },
      { timeoutMs: server.config.timeouts.callMs, signal: mcp.signal, onProgress: reports.onProgress },
    )
    return result
  } finally {
    reports.end()
  }
}

/** Passes on to the asking client what the server says while it works. */
function createReports({ queue, counts }: CalledServer, { session, filter }: ServerConnection, mcp: McpContext) {
  const clean = (text: string | undefined) =>
    text === undefined ? undefined : cutUtf8(filter.text(text).toWellFormed(), MAX_MESSAGE_BYTES)
  const wantsProgress = isAskedForProgress(mcp.metadata)
  // A log entry does not say to which call it belongs, and must not reach somebody else's client.
  let permits: ReturnType<typeof createLogPermits> | undefined
  const leave =
    mcp.client &&
    session.onLog(toCallerKey(mcp), ({ level, data, logger }) => {
      if (queue.running !== 1) return
      permits ??= createLogPermits()
      if (permits.take()) void mcp.log(level, boundLogData(data, filter), clean(logger))
      else counts.add('dropped_log_messages')
    })
  return {
    onProgress: wantsProgress
      ? ({
          progress,
          total,
          message,
        }: {
          progress: number
          total?: number | undefined
          message?: string | undefined
        }) => void mcp.progress(progress, total, clean(message))
      : undefined,
    end: () => leave?.(),
  }
}

/** It was read as a whole before this was called. */
function isAskedForProgress(metadata: unknown): boolean {
  const sidecar = isRecord(metadata) ? metadata['mcp'] : undefined
  return isRecord(sidecar) && sidecar['progress'] === true
}

/** A result that does not fit its schema is still what the tool has said. */
function checkOutput({ counts }: CalledServer, { response_format: schema }: ToolFunction, result: unknown): void {
  if (schema === undefined || !isRecord(result) || result['isError'] === true) return
  if (!fitsSchema(schema, result['structuredContent'])) counts.add('schema_mismatches')
}
