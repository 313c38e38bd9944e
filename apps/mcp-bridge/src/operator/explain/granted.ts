import type { Via } from '@iii/protocol'
import { type Access, decide, toAccess } from '../../auth/decision.ts'
import type { Grant, Principal } from '../../auth/principal.ts'
import { type Judged, listChoices } from './changes.ts'

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
  if (grant === undefined) return { reason: `${who} has no grant`, changes: [] }
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

/** As for the rules of a bridge: the decision is asked again with each change, and with both where one is not enough. */
function findChanges(principal: Principal, grant: Grant, { tier, scopes, ...access }: Access, via: Via): string[] {
  const candidates = [
    ...(grant.tiers === undefined || tier === undefined
      ? []
      : [{ text: `add ${tier} to the tiers of the grant '${grant.name}'`, change: { tiers: [...grant.tiers, tier] } }]),
    ...(scopes === undefined || scopes.length === 0
      ? []
      : [
          {
            text: `give the grant '${grant.name}' the scopes ${scopes.join(', ')}`,
            change: { scopes: [...grant.scopes, ...scopes] },
          },
        ]),
  ]
  for (let size = 1; size <= candidates.length; size++) {
    const ways = listChoices(candidates, size).filter((way) => {
      const changed: Grant = Object.assign({}, grant, ...way.map(({ change }) => change))
      return decide({ ...principal, grant: changed }, { ...access, tier, scopes }, via) === 'allow'
    })
    if (ways.length > 0) return ways.map((way) => way.map(({ text }) => text).join(' and '))
  }
  return []
}
