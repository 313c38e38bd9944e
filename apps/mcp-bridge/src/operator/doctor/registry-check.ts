import { isRecord, promptsFunctions, skillsFunctions, toFault } from '@iii/protocol'
import { findOwner } from '@iii/sdk'
import {
  type Check,
  type DoctorContext,
  formatCommand,
  formatCount,
  isSilence,
  ok,
  problem,
  silence,
  warning,
} from '@iii/sdk/cli'

/** Is there a registry, and does its store answer? */
export const registryCheck: Check<DoctorContext> = {
  name: 'registry',
  async run({ ask, session: { said } }) {
    const owner = await findOwner(ask, skillsFunctions.resourcesList.id, said.namespace)
    if (owner === undefined) {
      return warning(
        'there is no skills worker on this engine: clients see no skills and no registered prompts',
        `start one if you want them: ${formatCommand('npx -y @iii/skills', { ...said, config: undefined }, {})}`,
      )
    }
    try {
      const resources = await ask(skillsFunctions.resourcesList.id, {})
      const prompts = await ask(promptsFunctions.list.id, {})
      return ok(`${owner.text} answers: ${count(resources, 'resource')} and ${count(prompts, 'prompt')}`)
    } catch (error) {
      if (isSilence(error)) return silence(owner, 'serves skills::* and prompts::*')
      return problem(
        `${owner.text} cannot answer: ${toFault(error).message}`,
        'look into its log; without the worker iii-state it has nowhere to keep anything',
      )
    }
  },
}

function count(answer: unknown, what: string): string {
  const rows: unknown = isRecord(answer) ? answer[`${what}s`] : undefined
  const found = Array.isArray(rows) ? rows.length : 0
  return formatCount(found, what)
}
