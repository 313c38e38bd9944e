import { z } from 'zod'

/**
 * How a run or a task stands. `unknown` is a deadline or a lost worker: the function may have worked. `skipped` is a task whose
 * dependency did not pass, or that was not started because another one failed or the run was stopped.
 */
export const Status = z.enum(['running', 'passed', 'failed', 'cached', 'skipped', 'cancelled', 'unknown'])
export type Status = z.infer<typeof Status>

/** Who started a run: the command line, a client of the bridge, another worker, or the engine's cron. */
export const RunVia = z.enum(['cli', 'mcp', 'bus', 'trigger'])
export type RunVia = z.infer<typeof RunVia>

/** What commands and `run_job` end with. */
export const EXIT_CODES = {
  /** The run passed, or everything of it was cached. */
  passed: 0,
  /** It failed, its outcome is unknown, or another run has the lock. */
  failed: 1,
  /** The command line or the input makes no sense; nothing was run. */
  usage: 2,
  /** There is no such job, task or run. */
  missing: 3,
  /** There is no engine, or nothing on it that keeps state. */
  unreachable: 4,
  /** Given up by Ctrl-C or by the client. */
  cancelled: 130,
  /** Given up because nobody reads the output. */
  broken_pipe: 141,
  /** Given up because the process was told to end. */
  terminated: 143,
} as const

/** The exit code of a run that has ended. A cancelled one has the code of what cancelled it: 130 if nothing else is known. */
export function toExitCode(status: Exclude<Status, 'running'>): number {
  if (status === 'passed' || status === 'cached') return EXIT_CODES.passed
  return status === 'cancelled' ? EXIT_CODES.cancelled : EXIT_CODES.failed
}

/** Whether nothing more will happen to it. */
export function isEnded(status: Status): status is Exclude<Status, 'running'> {
  return status !== 'running'
}
