import { Fault, type InputRequired, type McpSidecar, readMcpSidecar } from '@iii/protocol'
import { createAsk } from '../ask/ask.ts'
import { createInterview, type Interview } from '../ask/interview.ts'
import { createReporter, type Reporter } from '../report/reporter.ts'
import type { Call } from '../worker/call.ts'
import { watchCalls } from '../worker/call-watch.ts'
import { toErrorBody } from '../worker/dispatch.ts'
import type { Worker } from '../worker/worker.ts'
import { createCallSignal } from './call-signal.ts'
import type { CancelDesk } from './cancel-desk.ts'
import { keepResult } from './kept-result.ts'
import type { McpContext } from './mcp-context.ts'

export interface McpRunOptions {
  worker: Worker
  desk: CancelDesk
  timeoutMs: number | undefined
  /** Whether it may ask its client: then what it calls before it asks is watched, which costs each call something. */
  asks: boolean
}

/** Runs a function that speaks MCP once: to its result, or to the questions that it has for its client. */
export async function runMcp(
  { worker, desk, timeoutMs, asks }: McpRunOptions,
  { metadata, call }: { metadata: unknown; call: Call },
  handle: (context: McpContext) => unknown,
): Promise<unknown> {
  const sidecar = readMcpSidecar(metadata)
  const interview = createInterview(call.functionId, sidecar)
  if (!asks) interview.put = () => Promise.reject(mustNotAsk(call.functionId))
  const { signal, cancel, end } = createCallSignal(call.functionId, call.signal, timeoutMs)
  const leave = sidecar && desk.enter(sidecar.call_id, cancel)
  const reporter = createReporter({ worker, sidecar, signal })
  const context = toContext({ sidecar, interview, reporter, signal, metadata, call })
  try {
    const result = asks ? await interviewing(interview, () => handle(context)) : { value: await handle(context) }
    await reporter.finish()
    if (isQuestions(result)) return result
    if (sidecar?.task && !isQuestions(result.value)) {
      await keepResult(worker, sidecar.task, { value: result.value ?? null })
    }
    return result.value
  } catch (error) {
    await reporter.finish()
    if (sidecar?.task) await keepResult(worker, sidecar.task, { error: toErrorBody(error).message })
    throw error
  } finally {
    leave?.()
    end()
  }
}

function mustNotAsk(functionId: string): Fault {
  return new Fault('internal', `${functionId} asks its client, but was registered with \`asks: false\``)
}

function interviewing(interview: Interview, handle: () => unknown): Promise<InputRequired | { value: unknown }> {
  const work = watchCalls(interview, async () => handle())
  return Promise.race([work.then((value) => ({ value })), interview.ended])
}

/** A handler may also ask by what it returns, as functions in other languages do. */
function isQuestions(result: unknown): result is InputRequired {
  if (typeof result !== 'object' || result === null || !('result_type' in result)) return false
  return result.result_type === 'input_required'
}

interface ContextParts {
  sidecar: McpSidecar | undefined
  interview: Interview
  reporter: Reporter
  signal: AbortSignal
  metadata: unknown
  call: Call
}

function toContext({ sidecar, interview, reporter, signal, metadata, call }: ContextParts): McpContext {
  const { progress, log, closeStream } = reporter
  return {
    progress,
    log,
    closeStream,
    signal,
    ask: createAsk(interview),
    once: interview.once,
    client: sidecar && { ...sidecar.client, capabilities: sidecar.client_capabilities ?? {} },
    uri: sidecar?.uri,
    variables: sidecar?.variables ?? {},
    metadata,
    call,
  }
}
