import type { Worker } from '@iii/sdk'
import type { FoundSettings, Session } from '@iii/sdk/cli'
import type { Bridges } from '../neighbours/asking.ts'
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
  /** The bridges that run on it, asked once. @returns undefined when no engine answers */
  findBridges(): Promise<Bridges | undefined>
}

/** All that a command of the bridge works with. */
export type BridgeSession = Session<Flags> & Extra
