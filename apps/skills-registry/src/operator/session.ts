import type { DoctorSession, ExitCode, FoundSettings, Screen } from '@iii/sdk/cli'
import type { Options } from '../options.ts'
import type { Remote } from './remote.ts'

/** What a command can be told beside its operands. */
export interface Flags {
  json: boolean
  dryRun: boolean
  /** The worker in whose name it acts. */
  as: string | undefined
  force: boolean
  prune: boolean
}

/** All that a command works with. */
export interface CommandSession {
  /** The words after its name; as many as it takes. */
  operands: readonly string[]
  flags: Readonly<Flags>
  screen: Screen
  /** Connects to the engine, which a command that is wrong in itself does not need. */
  connect(): Promise<Remote>
}

/** The work of a command. @throws CommandFailure, or Fault with what the registry said. */
export type RegistryWork = (session: CommandSession) => Promise<ExitCode>

/** What `doctor` is called with. */
export interface RegistrySession extends DoctorSession {
  readonly settings: FoundSettings<Options>
}
