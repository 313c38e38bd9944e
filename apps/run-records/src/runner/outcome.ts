import { toFault } from '@iii/protocol'
import { isFailure } from '../cache/storable.ts'
import type { RunError } from '../record/run-record.ts'
import type { Status } from '../record/status.ts'
import { toRedactedText } from '../redaction/redacted-text.ts'

/** How a task ended. */
export interface RunOutcome {
  readonly status: Extract<Status, 'passed' | 'failed' | 'cancelled' | 'unknown'>
  /** Undefined where there is no answer. */
  readonly output: unknown
  readonly error?: RunError | undefined
}

/** Faults after which the function may have worked, or what it called: it may say so itself. */
const UNKNOWN: ReadonlySet<string> = new Set(['deadline', 'worker_lost'])

/** What an answer means: an MCP result that says so is a failure, and so is a question, because there is nobody to ask. */
export function judgeAnswer(output: unknown): RunOutcome {
  if (!isFailure(output)) return { status: 'passed', output }
  const { isError, result_type: type } = output as { isError?: unknown; result_type?: unknown }
  if (isError === true) return { status: 'failed', output, error: { code: 'is_error', message: toErrorText(output) } }
  const message =
    type === 'input_required'
      ? 'It asks its client something, and in a run there is nobody to ask: give it all it needs in the input of the job'
      : toErrorText(output)
  return { status: 'failed', output, error: { code: String(type), message } }
}

/** What an error of a call means. @param stopped why we gave it up, if we did */
export function judgeError(error: unknown, stopped: Stop | undefined): RunOutcome {
  const { code: given } = error as { code?: unknown }
  const code = typeof given === 'string' ? given.toUpperCase() : ''
  if (code === 'ABORTED' && stopped !== undefined) return toStopped(stopped)
  const fault = toFault(error)
  // While it was under way, our own connection was closed.
  const status = UNKNOWN.has(fault.code) || code === 'CLOSED' ? 'unknown' : 'failed'
  return { status, output: undefined, error: { code: fault.code, message: toRedactedText(fault.message) } }
}

/** Why a run starts nothing more and gives up what is under way. */
export type Stop = 'cancelled' | 'deadline' | 'lock_lost'

function toStopped(stop: Stop): RunOutcome {
  if (stop === 'cancelled') return { status: 'cancelled', output: undefined, error: STOPS.cancelled }
  return { status: 'unknown', output: undefined, error: STOPS[stop] }
}

export const STOPS: Readonly<Record<Stop, RunError>> = {
  cancelled: { code: 'cancelled', message: 'The run was cancelled; what its functions had begun may have been done' },
  deadline: {
    code: 'deadline',
    message: 'The run took longer than timeout_ms of its job; what its functions had begun may have been done',
  },
  lock_lost: {
    code: 'lock_lost',
    message:
      'The lock of the run was lost: somebody unlocked it, or the state of the engine was wiped. Nothing more was started',
  },
}

/** The text of an MCP result, or else the result as JSON; without secrets. */
function toErrorText(output: unknown): string {
  const { content, message } = output as { content?: unknown; message?: unknown }
  if (typeof message === 'string') return toRedactedText(message)
  const texts = Array.isArray(content) ? content.flatMap((block: { text?: unknown } | null) => block?.text ?? []) : []
  const text = texts.filter((part) => typeof part === 'string').join('\n')
  return toRedactedText(text || 'It answered with isError and without a text')
}
