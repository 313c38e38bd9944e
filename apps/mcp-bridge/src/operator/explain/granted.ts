import type { Via } from '@iii/protocol'
import { type Access, decide, toAccess } from '../../auth/decision.ts'
import type { Grant, Principal } from '../../auth/principal.ts'
import { findWays, type Judged } from './changes.ts'

/** Why the grant of a principal hides a function that the rules of the bridge show. */
export interface Ungranted {
  readonly reason: string
  readonly changes: readonly string[]
}

/** @returns undefined where it is not hidden */
export function judgeGrant({ id, metadata }: Judged, principal: Principal, via: Via): Ungranted | undefined {
  const access = toAccess(id, metadata)
  if (decide(principal, access, via) === 'allow') return undefined
  const { grant, id: who } = principal
  if (grant === undefined) return { reason: `${who} has no grant`, changes: [`give ${who} a grant`] }
  return { reason: toReason(principal, grant, access, via), changes: findChanges(principal, grant, access, via) }
}

function toReason(principal: Principal, grant: Grant, access: Access, via: Via): string {
  const whole = { ...principal, grant: { ...grant, tiers: undefined } }
  if (access.scopes === undefined) return 'its mcp.scopes cannot be read, so no grant reaches it'
  if (decide(whole, access, via) === 'hidden') {
    const lacking =
      principal.method === 'jwt'
        ? `neither the grant '${grant.name}' nor the token has`
        : `the grant '${grant.name}' does not have`
    return `it asks for the scopes ${access.scopes.join(', ')}, and ${lacking} all of them`
  }
  const has = access.tier === undefined ? 'it has no mcp.tier' : `its mcp.tier is '${access.tier}'`
  return `${has}, and the grant '${grant.name}' reaches the tiers ${(grant.tiers ?? []).join(', ') || 'none'}`
}

/** Something that an operator or a worker's author can change. */
interface Change {
  readonly text: string
  readonly grant?: Partial<Grant>
  readonly access?: Partial<Access>
}

/** As for the rules of a bridge: the decision is asked again with each change, and with several where one is not enough. */
function findChanges(principal: Principal, grant: Grant, access: Access, via: Via): string[] {
  const candidates = [...toTierChanges(grant, access), ...toScopeChanges(grant, access)]
  return findWays(candidates, (way) => {
    const changedGrant: Grant = Object.assign({}, grant, ...way.map((change) => change.grant))
    const changedAccess: Access = Object.assign({}, access, ...way.map((change) => change.access))
    return decide({ ...principal, grant: changedGrant }, changedAccess, via) === 'allow'
  })
}

/** A function of no tier is reached by grants that name none. */
function toTierChanges({ name, tiers }: Grant, { tier }: Access): Change[] {
  if (tiers === undefined) return []
  if (tier !== undefined) {
    return [{ text: `add ${tier} to the tiers of the grant '${name}'`, grant: { tiers: [...tiers, tier] } }]
  }
  return [
    ...tiers.map((one) => ({ text: `set mcp.tier: '${one}' in its metadata`, access: { tier: one } })),
    { text: `take the tiers out of the grant '${name}', which has all of them then`, grant: { tiers: undefined } },
  ]
}

function toScopeChanges({ name, scopes: granted }: Grant, { scopes }: Access): Change[] {
  if (scopes === undefined) return [{ text: 'make its mcp.scopes a list of words', access: { scopes: [] } }]
  if (scopes.length === 0) return []
  return [
    { text: `give the grant '${name}' the scopes ${scopes.join(', ')}`, grant: { scopes: [...granted, ...scopes] } },
  ]
}
