import { Fault } from '@iii/protocol'
import { findNearest } from '@iii/sdk'
import type { Job } from '../jobs/job.ts'
import type { LockConflict } from '../lock/locks.ts'
import { isRunId } from '../record/run-id.ts'
import type { RunRequest } from './request.ts'
import { formatRunCommand } from './run-command.ts'

export function noSuchJob(name: string, jobs: readonly string[]): Fault {
  const nearest = findNearest(name, jobs)
  const hint = nearest === undefined ? NO_NEAREST : `did you mean ${nearest}?`
  return new Fault('not_found', `No such job: ${name.slice(0, 128)}; ${hint}`)
}

const NO_NEAREST =
  'jobs are declared in the file that --config names, or by functions; see `iii-runs list`, or runs__list_tasks'

/** Who has the lock, since when, and what whoever asks can do: a client of a bridge has no command line. */
export function toLockConflict(
  { name, lock }: Pick<Job, 'name' | 'lock'>,
  { run, holder, since, isGone }: LockConflict,
  via: RunRequest['via'],
): Fault {
  const who = isRunId(run) ? `run ${run}` : 'a run'
  const text = `The lock '${lock}' belongs to ${who} of ${holder} since ${since}`
  if (via === 'mcp') return new Fault('conflict', `${text}; ${isGone ? AFTER_GONE : AFTER_END}`)
  const rest = isGone
    ? `the process that ran it is gone, and who has seen its beats stand still for 15 s takes the lock: wait with \`${formatRunCommand(name, '--wait 20')}\`, or ask the same worker again after that long`
    : `try again when it has ended, wait with \`${formatRunCommand(name, '--wait SECONDS')}\`, or end it with \`iii-runs cancel ${isRunId(run) ? run : 'RUN'}\``
  return new Fault('conflict', `${text}; ${rest}`)
}

const AFTER_GONE = 'the process that ran it is gone: try again in 15 seconds'
const AFTER_END = 'try again when it has ended, which runs__read_run tells'
