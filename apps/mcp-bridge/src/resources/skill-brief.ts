import { agentSkillsFunctions, isRecord, MAX_BRIEF_LENGTH } from '@iii/protocol'
import type { Principal } from '../auth/principal.ts'
import { type RegistryClient, toPrefixes } from './registry.ts'

/** Whoever shakes hands waits no longer for it than this, also for the engine. */
const TIMEOUT_MS = 1_000

/** The index of the skills that a principal reads, for instructions: empty where there are none, and where nobody says so in time. */
export type SkillBrief = (principal: Principal) => Promise<string>

export function createSkillBrief(registry: Pick<RegistryClient, 'ask'>): SkillBrief {
  return async (principal) => {
    const asking = registry.ask(agentSkillsFunctions.brief, toPrefixes(principal), { timeoutMs: TIMEOUT_MS })
    const answer = await asking.catch(() => undefined)
    const text = isRecord(answer) ? answer['text'] : undefined
    return typeof text === 'string' && text.length <= MAX_BRIEF_LENGTH ? text : ''
  }
}
