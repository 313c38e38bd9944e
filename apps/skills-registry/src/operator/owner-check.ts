import { promptsFunctions, skillsFunctions, toFault } from '@iii/protocol'
import { type FunctionOwner, findOwner, InvocationError } from '@iii/sdk'
import {
  type Check,
  type DoctorContext,
  type DoctorSession,
  type Finding,
  formatCommand,
  isSilence,
  ok,
  problem,
  silence,
  skipped,
  warning,
} from '@iii/sdk/cli'

type Ask = DoctorContext['ask']

/** Who serves `skills::*` and `prompts::*`, and does it answer? */
export const ownerCheck: Check<DoctorContext> = {
  name: 'registry',
  async run({ ask, session }) {
    const [skills, prompts] = await Promise.all(
      [skillsFunctions.list.id, promptsFunctions.list.id].map((id) => findOwner(ask, id, session.said.namespace)),
    )
    if (skills === undefined || prompts === undefined) return judgeAbsent(ask, session.said, { skills, prompts })
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

type Owners = Readonly<Record<'skills' | 'prompts', FunctionOwner | undefined>>

async function judgeAbsent(ask: Ask, said: DoctorSession['said'], owners: Owners): Promise<Finding> {
  const hidden = owners.skills === undefined ? skillsFunctions.list.id : promptsFunctions.list.id
  if (await isForbidden(ask, hidden)) return skipped(`the access rules of this port hide who serves ${hidden}`)
  const missing = (['skills', 'prompts'] as const).filter((what) => owners[what] === undefined)
  return problem(
    `nobody serves ${missing.map((what) => `${what}::*`).join(' and ')} on this engine`,
    `start a registry: ${formatCommand('npx -y @iii/skills', said, {})}`,
  )
}

/** Where access rules hide a function, an engine tells of it as of one that is not there; only who calls it hears that it may not. */
function isForbidden(ask: Ask, functionId: string): Promise<boolean> {
  return ask(functionId, {}).then(
    () => false,
    (error: unknown) => error instanceof InvocationError && error.code === 'FORBIDDEN',
  )
}
