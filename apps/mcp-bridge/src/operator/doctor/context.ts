import type { DoctorContext } from '@iii/sdk/cli'
import type { BridgeSession } from '../session.ts'

/** What the checks look at. */
export type BridgeContext = DoctorContext<BridgeSession>
