import type { DoctorContext } from '@iii/sdk/cli'
import type { BridgeSession } from '../cli/session.ts'

/** What the checks look at. */
export type BridgeContext = DoctorContext<BridgeSession>
