import { Fault, type InputRequired, type McpSidecar, readMcpSidecar, type TaskResult } from '@iii/protocol'
import { createAsk } from '../ask/ask.ts'
import { createInterview } from '../ask/interview.ts'
import type { Call } from '../engine/call.ts'
import { watchCalls } from '../engine/call-context.ts'
import { toErrorBody } from '../worker/dispatch.ts'
import type { Worker } from '../worker/worker.ts'
import { createCallSignal } from './call-signal.ts'
import type { CancelDesk } from './cancel-desk.ts'
import { keepResult } from './kept-result.ts'
import type { McpContext } from './mcp-context.ts'
import { createReporter, type Reporter } from './reporter.ts'

export interface McpRunOptions {
  worker: Worker
  desk: CancelDesk
  timeoutMs: number | undefined
  /** Whether it may ask its client: then what it calls before it asks is watched, which costs each call something. */
  asks: boolean
}

type Handle = (context: McpContext) => unknown

/** Runs a function that speaks MCP once: to its result, or to the questions that it has for its client. */
export async function runMcp(
  { worker, desk, timeoutMs, asks }: McpRunOptions,
  { metadata, call }: { metadata: unknown; call: Call },
  handle: Handle,
): Promise<unknown> {
  const sidecar = readMcpSidecar(metadata)
  const given = createCallSignal(call.functionId, call.signal, timeoutMs)
  const { signal } = given
  const leave = sidecar && desk.enter(sidecar.call_id, given.cancel)
  const reporter = createReporter({ worker, sidecar, signal })
  const parts = { sidecar, reporter, signal, metadata, call }
  const keep = async (result: TaskResult) => {
    // Of a task that was given up it is known already how it ended.
    if (sidecar?.task && !given.isCancelled) await keepResult(worker, sidecar.task, result)
  }
  try {
    const result = asks ? await interviewing(parts, handle) : { value: await handle(toContext(parts, refusing(call))) }
    await reporter.finish()
    if (isQuestions(result)) return result
    if (!isQuestions(result.value)) await keep({ value: result.value ?? null })
    return result.value
  } catch (error) {
    await reporter.finish()
    await keep({ error: toErrorBody(error).message })
    throw error
  } finally {
    leave?.()
    given.end()
  }
}

/** Of a function that never asks. */
function refusing({ functionId }: Call): Questioning {
  const refuse = () =>
    Promise.reject(new Fault('internal', `${functionId} asks its client, but was registered with \`asks: false\``))
  return { ask: createAsk({ put: refuse }), once: async (_key, work) => work() }
}

function interviewing(parts: ContextParts, handle: Handle): Promise<InputRequired | { value: unknown }> {
  const interview = createInterview(parts.call.functionId, parts.sidecar)
  const context = toContext(parts, { ask: createAsk(interview), once: interview.once })
  const work = watchCalls(interview, async () => handle(context))
  return Promise.race([work.then((value) => ({ value })), interview.ended])
}

/** A handler may also ask by what it returns, as functions in other languages do. */
function isQuestions(result: unknown): result is InputRequired {
  if (typeof result !== 'object' || result === null || !('result_type' in result)) return false
  return result.result_type === 'input_required'
}

interface ContextParts {
  sidecar: McpSidecar | undefined
  reporter: Reporter
  signal: AbortSignal
  metadata: unknown
  call: Call
}

type Questioning = Pick<McpContext, 'ask' | 'once'>

function toContext({ sidecar, reporter, signal, metadata, call }: ContextParts, questioning: Questioning): McpContext {
  const { progress, log, closeStream } = reporter
  return {
    progress,
    log,
    closeStream,
    signal,
    ...questioning,
    client: sidecar && { ...sidecar.client, capabilities: sidecar.client_capabilities ?? {} },
    principal: sidecar?.principal,
    uri: sidecar?.uri,
    variables: sidecar?.variables ?? {},
    metadata,
    call,
  }
}
