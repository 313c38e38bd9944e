import type { Session, Worker } from '@iii/sdk'
import type { Flags } from './flags.ts'
import type { Machine } from './machine.ts'
import type { FoundSettings } from './settings.ts'

/** What a command gets beside its words and flags. */
export interface Extra {
  readonly machine: Machine
  readonly version: string
  /** What a bridge with these flags, this environment and this file would work with. */
  readonly settings: FoundSettings
  /** Connects to the engine. @throws CommandFailure when none answers */
  connect(): Promise<Worker>
}

/** All that a command of the bridge works with. */
export type BridgeSession = Session<Flags> & Extra
