/** What a command ends with, for scripts. */
export const EXIT = {
  /** Everything is as it was asked for. */
  done: 0,
  /** Something was refused or failed, or what was asked about is not so; the rest was done. */
  failed: 1,
  /** The command line makes no sense; nothing was done. */
  usage: 2,
  /** What was named is not there; the rest was done. */
  missing: 3,
  /** No engine, or nobody on it who could do the work. */
  unreachable: 4,
  /** Given up by Ctrl-C. */
  interrupted: 130,
  /** Given up because nobody reads what it prints. */
  unread: 141,
  /** Given up because the process was told to end. */
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Ends the command at once, with a text for people and a code for scripts. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly exitCode: ExitCode
  /** What a script is told beside the text. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(exitCode: ExitCode, message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.exitCode = exitCode
    this.facts = facts
  }
}
