import type { CallOutcome, McpCallRecord } from '@iii/protocol'
import type { McpCall } from './call.ts'
import type { JudgedFunction } from './call-trace.ts'

export type CallKind = 'tool' | 'prompt' | 'section'

/** A call that somebody may want to hear of. */
export interface FollowedCall {
  readonly kind: CallKind
  /** What was asked for by the parameter that names it. */
  readonly name: string
  readonly input: unknown
  readonly call: McpCall
  /** The span of the request, where one was begun. */
  readonly traceparent: string | undefined
}

/** Who made it, as far as that is known. */
interface EndedBy extends Pick<McpCall, 'client' | 'session'> {
  readonly principal: McpCall['principal'] | undefined
  readonly era: McpCall['era'] | undefined
}

/** What is known of a call that is over, or of somebody who was not let in. */
export interface EndedCall extends Omit<FollowedCall, 'kind' | 'call'> {
  readonly kind: McpCallRecord['kind']
  readonly call: EndedBy
  readonly startedAt: Date
  readonly ms: number
  readonly callId: string | undefined
  readonly functionId: string | undefined
  /** Where that is, if not in the namespace of the bridge. */
  readonly namespace: string | undefined
  readonly detail: JudgedFunction | undefined
  readonly decision: McpCallRecord['decision']
  readonly outcome: CallOutcome
  readonly code: string | undefined
  /** Why the gate really said no, where clients may not know: it stands in the log alone. */
  readonly why?: string | undefined
  /** Of the arguments, as JSON. */
  readonly bytesIn: number
  readonly bytesOut: number
  /** How often, where it was more than once. */
  readonly count?: number | undefined
}
