import { toShellWord } from '@iii/sdk/cli'
import type { Ingredients, KnownBaseline } from '../cache/stored.ts'
import { findDifference } from '../diff/difference.ts'
import type { Payload } from '../record/payload.ts'
import type { ContextPack, RunError } from '../record/run-record.ts'
import { isWhole } from '../redaction/payload.ts'
import { formatRunCommand } from './run-command.ts'

export interface PackParts {
  readonly task: string
  readonly job: string
  readonly error: RunError
  /** As it is kept. */
  readonly output: Payload | undefined
  /** What was given to the job. */
  readonly input: Payload
  readonly baseline: KnownBaseline | undefined
  readonly ingredients: Ingredients | undefined
}

const MAX_TAIL = 4096

/** What helps to go on with a task that did not pass. */
export function toContextPack({ task, job, error, output, input, baseline, ingredients }: PackParts): ContextPack {
  const before = baseline?.ingredients
  const text = output?.value === undefined ? undefined : JSON.stringify(output.value, null, 1)
  return {
    task,
    error,
    ...(text === undefined ? {} : { tail: text.slice(-MAX_TAIL) }),
    reproduce: toCommand(job, input),
    ...(before && ingredients ? { difference: findDifference(before.input, ingredients.input) } : {}),
  }
}

/** The command line that runs the job again with the same input; what was taken out of it stands as a placeholder. */
function toCommand(job: string, input: Payload): string {
  const isEmpty = JSON.stringify(input.value ?? {}) === '{}'
  if (isWhole(input) && isEmpty) return formatRunCommand(job, '--force')
  const json = input.value === undefined ? '{…}' : JSON.stringify(input.value)
  return formatRunCommand(job, `--force --input ${toShellWord(json)}`)
}
