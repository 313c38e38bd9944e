import { parseUri } from '@iii/protocol'
import { answersToGrant, mayReadSkill } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'

/** Which skills somebody reads: beginnings of their ids, by whole segments; undefined: all. The one place that says so, for lists, reads and fetching. */
export function toSkillsSeen(principal: Principal): readonly string[] | undefined {
  if (!answersToGrant(principal)) return undefined
  const { grant } = principal
  return grant === undefined ? [] : grant.skills
}

/** The same as the registry is told it beside a call. */
export function toSkillsSidecar(principal: Principal): { skills?: string[] } {
  const seen = toSkillsSeen(principal)
  return seen === undefined ? {} : { skills: [...seen] }
}

/** Is a row of the registry's list one that somebody reads? What has no address is listed for those who read everything. */
export function seesRow(principal: Principal, uri: string): boolean {
  if (toSkillsSeen(principal) === undefined) return true
  const address = parseUri(uri)
  return address?.kind === 'skill' ? mayReadSkill(principal, address.id) : address !== undefined
}
