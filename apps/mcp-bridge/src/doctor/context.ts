import type { HttpAddress, Worker } from '@iii/sdk'
import type { BridgeSession } from '../cli/session.ts'

/** What the checks look at. Each thing is found once, and rejects for every check that needs it. */
export interface DoctorContext {
  readonly session: BridgeSession
  /** @throws CommandFailure when no engine answers */
  engine(): Promise<Worker>
  /** Where the engine answers HTTP; undefined when it has no such port, or does not say. */
  http(): Promise<HttpAddress | undefined>
  /** Asks a function of the engine, with a deadline. */
  ask(functionId: string, payload: object): Promise<unknown>
}

/** For one question to the engine; less than a check may take. */
export const ASK_MS = 3_000
