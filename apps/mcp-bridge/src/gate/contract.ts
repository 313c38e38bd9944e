import type { McpMetadata, Refusal } from '@iii/protocol'
import type { Action, CancelSignal, Trace } from '@iii/sdk'
import type { Way } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import type { FunctionDetail } from './directory.ts'

/** Why the gate stays shut. `unknown`: nobody registered the id. `unverified`: the engine did not say what it is. */
export interface Denial {
  readonly allowed: false
  readonly reason: Refusal['reason'] | 'unknown' | 'unverified'
  readonly message: string
  /** What stands behind an `unknown` that conceals a function from somebody who has a grant: for the operator, never for a client. */
  readonly why?: Refusal['reason'] | 'grant'
}

/** A function that may be called, and the only way to call it. */
export interface Pass extends Callee {
  readonly allowed: true
  readonly detail: FunctionDetail
  /**
   * A pass is good for as long as what is known of the function is fresh. After that, as when a client took its time for an answer, the
   * function is looked at anew, and whoever has a grant is held to it each time. Whoever has somebody else call it asks here first.
   *
   * @throws Fault in the words of the denial; for what a grant hides the error of a function that is not there
   */
  renew(principal: Principal): Promise<void> | undefined
}

/** A function that may be called. */
export interface Callee {
  readonly functionId: string
  /** Where it is; undefined for the bridge's own namespace. */
  readonly namespace: string | undefined
  /** What it says of itself for MCP; `{}` where that is not known. */
  readonly metadata: McpMetadata
  /**
   * @throws as `renew`, and what the engine says: `isAbsent` tells whether the function has gone since it was looked at
   */
  call(payload: unknown, options: CallOptions): Promise<unknown>
}

export interface CallOptions {
  /** Whom it is called for. */
  readonly principal: Principal
  readonly timeoutMs: number
  /** Goes beside the payload, to the handler's second argument. */
  readonly metadata: unknown
  readonly signal: CancelSignal | undefined
  /** The trace context that the call belongs to. */
  readonly trace?: Trace | undefined
  /** How it is carried out other than being awaited. */
  readonly action?: Action
}

/**
 * Every path that ends in a call of a function passes here first: the rules of the bridge, then the grant of whoever asks. What is hidden
 * from somebody who has a grant is refused in the words, and in the time, of what nobody registered.
 */
export interface Gate {
  admit(functionId: string, way: Way, principal: Principal): Promise<Pass | Denial>
  /** Judges many ids with as few questions to the engine as possible; none of them is called by us. */
  judge(functionIds: readonly string[], way: Way, principal: Principal): Promise<Map<string, Denial | undefined>>
  /**
   * What stands against having a function called that the registry does not name: the registry holds it to the floor, but only the bridge
   * knows what its operator hides by id or tier. Undefined where nothing is hidden so.
   *
   * @param what asks for it, as it stands in the text: `the prompt 'x'`
   */
  judgeUnnamed(what: string, principal: Principal): Denial | undefined
  /** Those of these ids that are registered and may be called as tools, in their order. @throws what the engine says */
  visible(functionIds: readonly string[], principal: Principal): Promise<string[]>
  /**
   * Tells a function something that another one names for that. It need not be a tool; the one in which our SDK hears it for all functions
   * of a worker is internal, and its id alone decides.
   *
   * Whoever may use the function that names it need not be allowed to use this one as well.
   *
   * @throws Fault in the words of the denial, and what the engine says
   */
  notify(functionId: string, payload: unknown, options: Omit<CallOptions, 'principal'>): Promise<void>
  /** The engine has changed: what is known of functions may be out of date before its second is over. */
  forget(): void
}
