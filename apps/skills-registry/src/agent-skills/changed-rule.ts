import { type SkillChange, toFault } from '@iii/protocol'
import type { Logger, Settings, Worker } from '@iii/sdk'
import type { Options } from '../options.ts'
import type { AgentSkills } from './agent-skills.ts'

export interface ChangedRuleOptions {
  worker: Pick<Worker, 'ownership'>
  settings: Settings<Options>
  agentSkills: Pick<AgentSkills, 'differing'>
  announce(change: SkillChange): void
  log: Pick<Logger, 'warn'>
}

/** Tells of the skills that are served, or are not any more, because the rule for front matter is another one. */
export function announceChangedRule({ worker, settings, agentSkills, announce, log }: ChangedRuleOptions): void {
  let last = settings.value.frontmatter

  async function tell(before: Options['frontmatter']): Promise<void> {
    for (const id of await agentSkills.differing(before)) announce({ op: 'register', id, changed: true })
  }

  settings.onChange(() => {
    const before = last
    last = settings.value.frontmatter
    if (before === last || settings.locked !== undefined || worker.ownership.state !== 'serving') return
    tell(before).catch((error: unknown) =>
      log.warn({ reason: toFault(error).message }, 'nobody was told of skills that are served otherwise now'),
    )
  })
}
