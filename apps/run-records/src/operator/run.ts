import { CommandFailure, EXIT, type ExitCode, toShown } from '@iii/sdk/cli'
import { MAX_RESULT_BYTES } from '../inspection/result-limit.ts'
import { toRunAnswer } from '../inspection/short-record.ts'
import { isRunId } from '../record/run-id.ts'
import { toDuration } from '../rendering/layout.ts'
import { describeRecord } from '../rendering/runs.ts'
import type { RunRequest, TaskProgress } from '../runner/request.ts'
import { showResult } from './inspect.ts'
import type { RunsSession, RunsWork } from './session.ts'

/** `run JOB`: the same run as over MCP, in this process. */
export const run: RunsWork = async (session) => {
  const { operands, flags, interrupt } = session
  const { runner } = await session.connect()
  const signal = interrupt.listen()
  const request = {
    job: operands[0] ?? '',
    input: flags.input,
    force: flags.force,
    via: 'cli' as const,
    waitMs: flags.wait * 1000,
    signal,
    ...(!flags.json ? { onProgress: createTeller(session), onWaiting: createWaitTeller(session) } : {}),
  }
  const started = await runner.start(request).catch((error) => {
    throw signal.aborted ? toCancelled(signal) : error
  })
  const stop = keepWriting(session, started.id)
  const record = toRunAnswer(await started.finished.finally(stop), MAX_RESULT_BYTES)
  showResult(session, record, describeRecord)
  return toExitCode(record.exit_code)
}

/** Who gives up waiting for a lock has cancelled the run, as who gives it up later. */
function toCancelled({ reason }: AbortSignal): CommandFailure {
  const { exitCode } = reason as { exitCode: number }
  return new CommandFailure(toExitCode(exitCode), 'cancelled before it began: nothing was run')
}

const TOUCH_EVERY_MS = 500

/**
 * That nobody reads a pipe any more is seen by who writes to it, and a task may take an hour. So something is written at once: as text the
 * id of the run; before JSON, where white space means nothing, some of it all the time.
 */
function keepWriting({ screen, flags }: RunsSession, id: string): () => void {
  if (screen.isTerminal) return () => undefined
  if (!flags.json) {
    screen.print(`run ${id}\n`)
    return () => undefined
  }
  const touch = () => screen.print(' ')
  touch()
  const timer = setInterval(touch, TOUCH_EVERY_MS)
  return () => clearInterval(timer)
}

/** A line for each task that begins or ends; the first names the run, so that it can be cancelled from elsewhere. */
function createTeller({ screen }: RunsSession): (progress: TaskProgress) => void {
  let isNamed = false
  return ({ runId, task, status, duration_ms: ms, done, total }) => {
    if (!isNamed) screen.tell(`run ${runId}; Ctrl-C cancels it`)
    isNamed = true
    screen.tell(`[${done}/${total}] ${toShown(task)}: ${status}${ms === undefined ? '' : ` (${toDuration(ms)})`}`)
  }
}

/** Who waits without a word is taken for one that hangs. */
function createWaitTeller({ screen, flags }: RunsSession): NonNullable<RunRequest['onWaiting']> {
  return ({ lock, run: id }) =>
    screen.tell(
      `waiting up to ${flags.wait} s for the lock '${lock}', which ${isRunId(id) ? `run ${id}` : 'a run'} has`,
    )
}

function toExitCode(code = EXIT.failed as number): ExitCode {
  const known = Object.values(EXIT).find((one) => one === code)
  if (known === undefined) throw new CommandFailure(EXIT.failed, `the run ended with ${code}`)
  return known
}
