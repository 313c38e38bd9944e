import { isRecord, toFault, toToolError, toToolResult } from '@iii/protocol'
import { readReply } from '../invocation/function-reply.ts'
import { RPC, RpcError, toRpcErrorBody } from '../mcp/rpc.ts'
import { type ResultFacts, toLimited } from '../mcp/shown-result.ts'
import type { TaskOutcome, TaskRow } from './record.ts'

/** A result that is larger than this, as JSON, is not kept whole. */
const MAX_RESULT_BYTES = 4 * 1024 * 1024
const TOO_LARGE =
  'The tool has finished, but its result is too large to be kept for a task (more than 4 MiB as JSON). Ask for less.'

type Facts = Pick<TaskRow, 'function_id' | 'has_output_schema'>

/** No address leads to the whole: to read it would be to do the whole job again. */
export function toTaskFacts({ has_output_schema, takes = [] }: TaskRow): ResultFacts {
  return { hasOutputSchema: has_output_schema, takes: () => takes, link: () => undefined }
}

/**
 * What is written down of a task that is over: by its bridge what clients read, by its function what it returned or the text of its
 * error.
 *
 * @returns undefined when there is nothing, or nothing that can be read
 */
export function readWritten(written: unknown, facts: Facts): TaskOutcome | undefined {
  if (!isRecord(written)) return undefined
  const { result, error } = written
  if (isRecord(result)) return { result: { ...toToolResult(result, { hasOutputSchema: facts.has_output_schema }) } }
  if (isRecord(error))
    return { error: toRpcErrorBody(new RpcError(toCode(error['code']), String(error['message']), error['data'])) }
  if (typeof error === 'string') return { result: { ...toToolError(toFault({ message: error }).message) } }
  return 'value' in written ? toOutcome(written['value'], facts) : undefined
}

/** What a client reads of what a function returned. */
export function toOutcome(value: unknown, { function_id, has_output_schema }: Facts): TaskOutcome {
  try {
    const answer = readReply(value, function_id, 'stateless')
    const shown = answer.kind === 'value' ? answer.value : value
    return { result: { ...toToolResult(shown, { hasOutputSchema: has_output_schema }) } }
  } catch (error) {
    return toFailure(error)
  }
}

/** Errors of the protocol, and calls of which nobody knows how they ended, have failed; anything else is for the model to read. */
export function toFailure(error: unknown): TaskOutcome {
  if (error instanceof RpcError) return { error: toRpcErrorBody(error) }
  const { code, message } = toFault(error)
  if (code === 'worker_lost' || code === 'deadline')
    return { error: toRpcErrorBody(new RpcError(RPC.internal, message)) }
  return { result: { ...toToolError(message) } }
}

/** A function that was given up may write down how that ended for it. What has failed stays failed, and has an error. */
export function toFailed({ status, function_id }: TaskRow, outcome: TaskOutcome | undefined): TaskOutcome | undefined {
  if (status !== 'failed' || outcome === undefined || 'error' in outcome) return outcome
  const text = `${function_id} did not answer in time, or its worker went away. The outcome is unknown.`
  return { error: toRpcErrorBody(new RpcError(RPC.internal, text)) }
}

/**
 * What is kept of the outcome: all of it, where there is room, else as much as its client would be shown.
 *
 * @param maxBytes the largest result that a client gets
 */
export function toKeptOutcome(outcome: TaskOutcome, row: TaskRow, maxBytes: number): TaskOutcome {
  if (!('result' in outcome) || isKept(outcome)) return outcome
  const result = toToolResult(outcome.result, { hasOutputSchema: row.has_output_schema })
  const cut = { result: { ...toLimited(result, toTaskFacts(row), maxBytes) } }
  return isKept(cut) ? cut : { result: { ...toToolError(TOO_LARGE) } }
}

function isKept(outcome: TaskOutcome): boolean {
  return Buffer.byteLength(JSON.stringify(outcome)) <= MAX_RESULT_BYTES
}

function toCode(code: unknown): number {
  return typeof code === 'number' ? code : RPC.internal
}
