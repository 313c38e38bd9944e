import type { Worker } from '@iii/sdk'
import type { FoundSettings, Session } from '@iii/sdk/cli'
import type { BridgeOptions } from '../options.ts'
import type { Flags } from './flags.ts'
import type { OperatorHost } from './host.ts'

/** What a command gets beside its words and flags. */
export interface Extra {
  readonly host: OperatorHost
  /** What a bridge with these flags, this environment and this file would work with. */
  readonly settings: FoundSettings<BridgeOptions>
  /** Connects to the engine. @throws CommandFailure when none answers */
  connect(): Promise<Worker>
}

/** All that a command of the bridge works with. */
export type BridgeSession = Session<Flags> & Extra
