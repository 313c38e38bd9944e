import type { Allowance } from './rate.ts'
import type { LimitSettings } from './settings/auth-block.ts'

/** What one principal may take of the bridge, within what the bridge bears in all. */
export interface PrincipalLimits {
  /** Requests; undefined: as many as the bridge bears. */
  readonly requests: Allowance | undefined
  /** Calls of functions under way. */
  readonly concurrent: number
  /** Open streams. */
  readonly streams: number
  /** Tasks that run. */
  readonly tasks: number
  /** Addresses that it hears of. */
  readonly subscriptions: number
}

/** Of whoever is not counted: the client that started this process, and everybody where nobody is asked who they are. */
export const UNLIMITED: PrincipalLimits = {
  requests: undefined,
  concurrent: Number.POSITIVE_INFINITY,
  streams: Number.POSITIVE_INFINITY,
  tasks: Number.POSITIVE_INFINITY,
  subscriptions: Number.POSITIVE_INFINITY,
}

/** Where the file says nothing. */
const DEFAULTS = { concurrent: 64, streams: 64, tasks: 32, subscriptions: 1_024 }

const LEAST_BURST = 10
const BURST_PART = 1 / 5

/** @param own of the principal; what it does not say, `common` does */
export function toPrincipalLimits(own: LimitSettings = {}, common: LimitSettings): PrincipalLimits {
  const perMinute = own.per_minute ?? common.per_minute
  const burst = own.burst ?? common.burst
  return {
    requests: perMinute === undefined ? undefined : toAllowance(perMinute, burst),
    concurrent: own.concurrent ?? common.concurrent ?? DEFAULTS.concurrent,
    streams: own.streams ?? common.streams ?? DEFAULTS.streams,
    tasks: own.tasks ?? common.tasks ?? DEFAULTS.tasks,
    subscriptions: own.subscriptions ?? common.subscriptions ?? DEFAULTS.subscriptions,
  }
}

function toAllowance(perMinute: number, burst = Math.max(LEAST_BURST, Math.ceil(perMinute * BURST_PART))): Allowance {
  return { perSecond: perMinute / 60, burst }
}
