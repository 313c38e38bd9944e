import { promptsFunctions, skillsFunctions, toFault } from '@iii/protocol'
import { findOwner } from '@iii/sdk'
import { type Check, type DoctorContext, ok, problem, warning } from '@iii/sdk/cli'
import { isObject } from '../rpc.ts'

/** Is there a registry, and does its store answer? */
export const registryCheck: Check<DoctorContext> = {
  name: 'registry',
  async run({ ask, session }) {
    const owner = await findOwner(ask, skillsFunctions.resourcesList.id, session.said.namespace)
    if (owner === undefined) {
      return warning(
        'there is no skills worker on this engine: clients see no skills and no registered prompts',
        'start one if you want them: npx -y @iii/skills',
      )
    }
    try {
      const resources = await ask(skillsFunctions.resourcesList.id, {})
      const prompts = await ask(promptsFunctions.list.id, {})
      return ok(
        `${owner.text} answers: ${count(resources, 'resources')} resources, ${count(prompts, 'prompts')} prompts`,
      )
    } catch (error) {
      return problem(
        `${owner.text} cannot answer: ${toFault(error).message}`,
        'look into its log; without the worker iii-state it has nowhere to keep anything',
      )
    }
  },
}

function count(answer: unknown, key: string): number {
  const rows: unknown = isObject(answer) ? answer[key] : undefined
  return Array.isArray(rows) ? rows.length : 0
}
