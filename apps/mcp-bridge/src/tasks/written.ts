import { isRecord, toFault, toToolError, toToolResult } from '@iii/protocol'
import { readReply } from '../invocation/function-reply.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import type { TaskOutcome, TaskRow } from './record.ts'

/** A result that is larger than this is not kept. */
export const MAX_RESULT_BYTES = 4 * 1024 * 1024

type Facts = Pick<TaskRow, 'function_id' | 'has_output_schema'>

/**
 * What is written down of a task that is over: by its bridge what clients read, by its function what it returned or the text of its
 * error.
 *
 * @returns undefined when there is nothing, or nothing that can be read
 */
export function readWritten(written: unknown, facts: Facts): TaskOutcome | undefined {
  if (!isRecord(written)) return undefined
  const { result, error } = written
  if (isRecord(result)) return { result }
  if (isRecord(error))
    return { error: toErrorBody(new RpcError(toCode(error['code']), String(error['message']), error['data'])) }
  if (typeof error === 'string') return { result: { ...toToolError(toFault({ message: error }).message) } }
  return 'value' in written ? toOutcome(written['value'], facts) : undefined
}

/** What a client reads of what a function returned. */
export function toOutcome(value: unknown, { function_id, has_output_schema }: Facts): TaskOutcome {
  try {
    const answer = readReply(value, function_id)
    const shown = answer.kind === 'value' ? answer.value : value
    return { result: { ...toToolResult(shown, { hasOutputSchema: has_output_schema }) } }
  } catch (error) {
    return toFailure(error)
  }
}

/** Errors of the protocol, and calls of which nobody knows how they ended, have failed; anything else is for the model to read. */
export function toFailure(error: unknown): TaskOutcome {
  if (error instanceof RpcError) return { error: toErrorBody(error) }
  const { code, message } = toFault(error)
  if (code === 'worker_lost' || code === 'deadline') return { error: toErrorBody(new RpcError(RPC.internal, message)) }
  return { result: { ...toToolError(message) } }
}

/** The outcome, or in its place the reason why it is not kept. */
export function toKept(outcome: TaskOutcome): TaskOutcome {
  if (!('result' in outcome)) return outcome
  const bytes = Buffer.byteLength(JSON.stringify(outcome))
  if (bytes <= MAX_RESULT_BYTES) return outcome
  const [size, limit] = [bytes, MAX_RESULT_BYTES].map((count) => (count / 1_048_576).toFixed(1))
  const text = `The tool has finished, but its result is too large to be kept for a task (${size} MiB; at most ${limit} MiB). Ask for less.`
  return { result: { ...toToolError(text) } }
}

function toErrorBody({ code, message, data }: RpcError): { code: number; message: string; data?: unknown } {
  return { code, message, ...(data === undefined ? {} : { data }) }
}

function toCode(code: unknown): number {
  return typeof code === 'number' ? code : RPC.internal
}
