/** What can be wrong with a server, its tools or its configuration; each has a row in the docs. */
export const CODES = [
  'malformed',
  'unknown_key',
  'file_within_reach',
  'other_file',
  'not_trusted',
  'command_not_found',
  'not_executable',
  'cwd_missing',
  'secret_missing',
  'exited_before_initialize',
  'start_timeout',
  'initialize_invalid',
  'revision_unsupported',
  'stdout_garbage',
  'message_too_large',
  'list_failed',
  'too_many_tools',
  'tool_left_out',
  'tools_changed',
  'name_conflict',
  'list_churn',
  'exited',
] as const
export type Code = (typeof CODES)[number]

/** One thing that is wrong, for people: without a secret, a stack, or a path of anything but the configuration. */
export interface Diagnostic {
  readonly code: Code
  /** What is wrong and what would be right, in one line. */
  readonly message: string
  /** The tool it is about, by the name that the server gives it, cleaned; or the place in the file (`servers.github.env.set.TOKEN`). */
  readonly subject?: string | undefined
}

/** Why a server did not run, and since when that was known. */
export interface PastFailure extends Diagnostic {
  readonly at: string
}

/** Something with a server did not come about, for a reason that people are told. */
export class ServerFailure extends Error {
  readonly diagnostic: Diagnostic

  constructor(code: Code, message: string, subject?: string) {
    super(message)
    this.diagnostic = { code, message, ...(subject === undefined ? {} : { subject }) }
  }
}
