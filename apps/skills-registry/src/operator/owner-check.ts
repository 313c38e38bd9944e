import { promptsFunctions, skillsFunctions, toFault } from '@iii/protocol'
import { findOwner } from '@iii/sdk'
import { type Check, type DoctorContext, formatCommand, isSilence, ok, problem, silence, warning } from '@iii/sdk/cli'

/** Who serves `skills::*` and `prompts::*`, and does it answer? */
export const ownerCheck: Check<DoctorContext> = {
  name: 'registry',
  async run({ ask, session }) {
    const [skills, prompts] = await Promise.all(
      [skillsFunctions.list.id, promptsFunctions.list.id].map((id) => findOwner(ask, id, session.said.namespace)),
    )
    if (skills === undefined || prompts === undefined) {
      const missing = [skills ?? 'skills::*', prompts ?? 'prompts::*'].filter((what) => typeof what === 'string')
      return problem(
        `nobody serves ${missing.join(' and ')} on this engine`,
        `start a registry: ${formatCommand('npx -y @iii/skills', session.said, {})}`,
      )
    }
    if (skills.instance !== prompts.instance || skills.text !== prompts.text) {
      return problem(
        `skills::* are those of ${skills.text}, prompts::* those of ${prompts.text}`,
        'stop one of the two: the last to register a function has it',
      )
    }
    try {
      await Promise.all([ask(skillsFunctions.list.id, {}), ask(promptsFunctions.list.id, {})])
    } catch (error) {
      if (isSilence(error)) return silence(skills, 'serves skills::* and prompts::*')
      return problem(`${skills.text} cannot answer: ${toFault(error).message}`, 'look into its log')
    }
    const { version } = skills.owner ?? {}
    if (version === undefined || version === session.version)
      return ok(`${skills.text} serves skills::* and prompts::*`)
    return warning(
      `${skills.text} serves skills::* and prompts::* with version ${version}; this is ${session.version}`,
      `restart it with version ${session.version} if both should be the same`,
    )
  },
}
