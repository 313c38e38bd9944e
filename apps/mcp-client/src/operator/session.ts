import type { Host, Worker } from '@iii/sdk'
import type { Command, FoundSettings, Session, Work } from '@iii/sdk/cli'
import type { Options } from '../options.ts'
import type { Flags } from './flags.ts'

/** Where the commands run. Tests have one of their own. */
export interface OperatorHost extends Host {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Asks a person, and resolves to what they type; undefined where there is no terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined
}

/** What a command gets beside its words and flags. */
export interface Extra {
  readonly host: OperatorHost
  /** What a worker with this environment and this file would work with. */
  readonly settings: FoundSettings<Options>
  /** Connects to the engine. @throws CommandFailure when none answers */
  connect(): Promise<Worker>
}

export type ClientSession = Session<Flags> & Extra
export type ClientWork = Work<Flags, Extra>
export type ClientCommand = Command<Flags, Extra>
