import type { Host, Worker } from '@iii/sdk'
import type { FoundSettings, Session } from '@iii/sdk/cli'
import type { BridgeOptions } from '../options.ts'
import type { Flags } from './flags.ts'
import type { Machine } from './machine.ts'

/** What a command gets beside its words and flags. */
export interface Extra {
  readonly machine: Machine
  /** The same, as far as a doctor looks at it. */
  readonly host: Host
  /** What a bridge with these flags, this environment and this file would work with. */
  readonly settings: FoundSettings<BridgeOptions>
  /** Connects to the engine. @throws CommandFailure when none answers */
  connect(): Promise<Worker>
}

/** All that a command of the bridge works with. */
export type BridgeSession = Session<Flags> & Extra
