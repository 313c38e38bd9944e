import type { Logger } from '@iii/sdk'
import { memoizeEach } from '../records/remembered.ts'
import type { AgentSkillsView } from './view.ts'

/** So many are told, and remembered. */
export const MAX_TOLD = 100

/**
 * Tells the operator of skills that are not served because others have their places: once of each, and again when something else is in its way.
 * Names and front matter are for `lint` alone: who chose them can see them.
 *
 * @returns the view
 */
export function createLeftOutReport(log: Pick<Logger, 'warn'>): (view: AgentSkillsView) => AgentSkillsView {
  const told = new Set<string>()

  function tell(id: string, reason: string): void {
    const key = JSON.stringify([id, reason])
    if (told.size > MAX_TOLD || told.has(key)) return
    told.add(key)
    if (told.size <= MAX_TOLD)
      log.warn({ skill: id, reason }, 'a skill is not served as an Agent Skill: another one has its place')
    else log.warn('more skills have places that are taken: `iii-skills lint` names all of them')
  }

  return memoizeEach((view: AgentSkillsView) => {
    for (const { id, cause, reason } of view.leftOut) if (cause === 'taken') tell(id, reason)
    return view
  })
}
