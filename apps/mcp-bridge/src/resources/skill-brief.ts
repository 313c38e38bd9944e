import { agentSkillsFunctions, isRecord, MAX_BRIEF_LENGTH } from '@iii/protocol'
import { toSkillsSeen } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import type { RegistryClient } from './registry.ts'

/** Whoever shakes hands waits no longer for it than this, also for the engine. */
const TIMEOUT_MS = 1_000

/** The index of the skills that a principal reads, for instructions: empty where there are none, and where nobody says so in time. */
export type SkillBrief = (principal: Principal) => Promise<string>

export function createSkillBrief(registry: Pick<RegistryClient, 'ask'>): SkillBrief {
  return async (principal) => {
    const prefixes = toSkillsSeen(principal)
    const payload = prefixes === undefined ? {} : { prefixes }
    const answer = await registry
      .ask(agentSkillsFunctions.brief, payload, { timeoutMs: TIMEOUT_MS })
      .catch(() => undefined)
    const text = isRecord(answer) ? answer['text'] : undefined
    return typeof text === 'string' && text.length <= MAX_BRIEF_LENGTH ? text : ''
  }
}
