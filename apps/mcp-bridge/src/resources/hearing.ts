import { type ExposureRules, parseSkillUri, parseUri } from '@iii/protocol'
import { decide, mayReadFile, mayReadSkill, toAccess } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import { type Gate, refuseKey } from '../gate/index.ts'
import { readKey, toKey } from '../gate/sight.ts'
import type { DeclaredResources } from './declared/index.ts'

/** May somebody who is held to a grant hear that what is at an address has changed? What they may not read does not change for them. */
export type Hearing = (uri: string, principal: Principal, because: ChangeCause) => Promise<boolean>

/** Each alone is enough. */
export interface ChangeCause {
  readonly skill?: string
  readonly functions?: readonly { readonly id: string; readonly metadata: unknown }[]
  readonly isAnnounced?: boolean
}

export interface HearingOptions {
  readonly gate: Pick<Gate, 'admit'>
  readonly declared: Pick<DeclaredResources, 'find'>
  readonly rules: () => ExposureRules
}

export function createHearing({ gate, declared, rules }: HearingOptions): Hearing {
  function mayUse(
    principal: Principal,
    { id, metadata }: { readonly id: string; readonly metadata: unknown },
  ): boolean {
    if (refuseKey(id, metadata, rules(), 'section') !== undefined) return false
    return decide(principal, toAccess(readKey(id).id, metadata), 'section') === 'allow'
  }

  const isAdmitted = async (functionId: string, principal: Principal) =>
    (await gate.admit(functionId, 'section', principal)).allowed

  async function mayRead(uri: string, principal: Principal): Promise<boolean> {
    const path = parseSkillUri(uri)
    if (path !== undefined) return mayReadFile(principal, path)
    const address = parseUri(uri)
    if (address?.kind === 'skill') return mayReadSkill(principal, address.id)
    if (address?.kind === 'section') {
      return isAdmitted(toKey({ namespace: address.namespace, id: address.functionId }), principal)
    }
    const found = address === undefined && uri.isWellFormed() ? await declared.find(uri, principal) : undefined
    return found !== undefined && isAdmitted(found.functionId, principal)
  }

  return async (uri, principal, { skill, functions = [], isAnnounced }) =>
    (skill !== undefined && mayReadSkill(principal, skill)) ||
    functions.some((each) => mayUse(principal, each)) ||
    (isAnnounced === true && (await mayRead(uri, principal)))
}
