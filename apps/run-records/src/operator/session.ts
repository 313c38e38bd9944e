import type { Command, Session, Work } from '@iii/sdk/cli'
import type { CommandContext } from './command-context.ts'
import type { Flags } from './flags.ts'
import type { Interrupt } from './interrupt.ts'

/** What a command gets beside its words and flags. */
export interface Extra {
  /** Connects to the engine, which a command that is wrong in itself does not need. @param command whose name the connection has */
  connect(): Promise<CommandContext>
  /** What ends a run before its time. */
  readonly interrupt: Interrupt
}

export type RunsSession = Session<Flags> & Extra
export type RunsWork = Work<Flags, Extra>
export type RunsCommand = Command<Flags, Extra>
