import {
  type ExposureRules,
  findActing,
  isInternalId,
  type Refusal,
  readMcpMetadata,
  refuse,
  type Via,
} from '@iii/protocol'
import type { Principal } from '../../auth/principal.ts'
import { findChanges, type Judged } from './changes.ts'
import { judgeGrant } from './granted.ts'

/** What hides a function, finer than what a client is told. */
export type HidingRule =
  | 'internal_namespace'
  | 'internal_metadata'
  | 'hidden_prefix'
  | 'expose_not_true'
  | 'expose_missing'
  | 'tier'
  | 'acts'
  | 'name_taken'
  | 'no_address'
  | 'list_full'
  | 'grant'

/** Whether clients reach a function in one way, and if not, why. */
export interface Verdict {
  readonly shown: boolean
  readonly rule?: HidingRule
  /** For people. */
  readonly reason?: string
  /** Each would show it; none when nothing does but another id. */
  readonly changes?: readonly string[]
}

/** Asks the rule that the running bridge asks, then what the grant says of somebody who has one, and puts the answer into words. */
export function judge(judged: Judged, rules: ExposureRules, via: Via, principal: Principal): Verdict {
  const refusal = refuse(judged.id, judged.metadata, rules, via)
  if (refusal === undefined) {
    const ungranted = judgeGrant(judged, principal, via)
    return ungranted === undefined ? { shown: true } : { shown: false, rule: 'grant', ...ungranted }
  }
  return { shown: false, ...explainers[refusal.reason](judged, rules, via), changes: findChanges(judged, rules, via) }
}

type Explainer = (judged: Judged, rules: ExposureRules, via: Via) => { rule: HidingRule; reason: string }

const explainers: Readonly<Record<Refusal['reason'], Explainer>> = {
  internal: ({ id }) =>
    isInternalId(id)
      ? { rule: 'internal_namespace', reason: 'its id lies in an internal namespace, which no setting shows' }
      : { rule: 'internal_metadata', reason: 'its metadata says internal: true' },
  disabled({ id, metadata }, rules, via) {
    const isHiding = (prefix: string) => refuse(id, metadata, { ...rules, hiddenPrefixes: [prefix] }, via) !== undefined
    const prefix = rules.hiddenPrefixes.find((candidate) => id.startsWith(candidate) && isHiding(candidate)) ?? ''
    return { rule: 'hidden_prefix', reason: `its id begins with the hidden prefix '${prefix}'` }
  },
  not_exposed({ id, metadata }, rules, via) {
    // Where nobody asks for it, only what the function itself says can hide it.
    const unasked = refuse(id, metadata, { ...rules, requireExpose: false, tier: undefined }, via)
    if (unasked !== undefined) return { rule: 'expose_not_true', reason: 'mcp.expose in its metadata is not true' }
    const asking = rules.requireExpose ? 'require_expose' : 'a tier without expose_all'
    return { rule: 'expose_missing', reason: `its metadata has no mcp.expose: true, which ${asking} asks for` }
  },
  tier({ metadata }, { tier: wanted = '' }) {
    const { tier } = readMcpMetadata(metadata)
    const has = tier === undefined ? 'its metadata has no mcp.tier' : `its mcp.tier is '${tier}'`
    return { rule: 'tier', reason: `${has}, and this bridge shows the tier '${wanted}'` }
  },
  acts: ({ metadata }) => ({
    rule: 'acts',
    reason: `its annotations say ${findActing(readMcpMetadata(metadata).annotations)}, and reading an address changes nothing`,
  }),
}
