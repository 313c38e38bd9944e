import { checkSkillPath, promptsFunctions, skillsFunctions, toScope } from '@iii/protocol'
import {
  type Check,
  type DoctorContext,
  type Finding,
  formatCommand,
  formatCount,
  ok,
  skipped,
  warning,
} from '@iii/sdk/cli'
import { z } from 'zod'
import { promptRecords } from '../prompts/prompts.ts'
import { isReachable } from '../skills/reachable.ts'
import { skillRecords } from '../skills/skills.ts'
import type { RegistrySession } from './session.ts'

/** Is everything that is stored a skill or a prompt, and can it be read? */
export const rowsCheck: Check<DoctorContext<RegistrySession>> = {
  name: 'rows',
  async run({ ask, engine, session }) {
    const { namespace } = await engine()
    const { value } = session.settings
    const [skillsScope, promptsScope] = [toScope(value.skillsScope, namespace), toScope(value.promptsScope, namespace)]
    const { skills } = SkillList.parse(await ask(skillsFunctions.list.id, {}))
    const bytes = skills.reduce((sum, skill) => sum + skill.bytes + skill.files * FILE_BYTES, 0)
    if (bytes > MAX_BYTES) return skipped(`${skills.length} skills are too much to be looked through one by one`)
    const [skillRows, promptRows] = await Promise.all(
      [skillsScope, promptsScope].map(async (scope) => z.array(z.unknown()).parse(await ask('state::list', { scope }))),
    )
    const { prompts } = PromptList.parse(await ask(promptsFunctions.list.id, {}))
    const unreachable = skills.map(({ id }) => id).filter((id) => !isReachable(id))
    // What no skill was ever called cannot be removed by its id either, and has no place in a command.
    const strange = unreachable.filter((id) => checkSkillPath(id) !== undefined)
    const reserved = unreachable.filter((id) => checkSkillPath(id) === undefined)
    const unreadable = [
      ...(skillRows ?? [])
        .filter((row) => !skillRecords.schema.safeParse(row).success)
        .map((row) => nameRow(row, skillsScope)),
      ...(promptRows ?? [])
        .filter((row) => !promptRecords.schema.safeParse(row).success)
        .map((row) => nameRow(row, promptsScope)),
      ...strange.map((id) => nameRow({ id }, skillsScope)),
    ]
    const remove = formatCommand(['iii-skills remove', ...reserved.slice(0, MAX_NAMED)].join(' '), session.said, {})
    return judge({
      unreadable,
      reserved,
      remove,
      stored: `${formatCount(skills.length, 'skill')} and ${formatCount(prompts.length, 'prompt')}`,
    })
  },
}

/** Larger stores are left alone: the engine hands a scope out as one message. */
const MAX_BYTES = 16 * 1024 * 1024
/** What the row of a skill says of one file, with a long path. */
const FILE_BYTES = 512
const MAX_NAMED = 3

const SkillList = z.object({
  skills: z.array(z.object({ id: z.string(), bytes: z.number(), files: z.number().default(0) })),
})
const PromptList = z.object({ prompts: z.array(z.unknown()) })
const Named = z.looseObject({ id: z.string().optional(), name: z.string().optional() })

/** The store does not tell keys; a row may say who it is. */
function nameRow(row: unknown, scope: string): string {
  const { id, name } = Named.safeParse(row).data ?? {}
  return `${scope}: ${id ?? name ?? 'one without a name'}`
}

interface Rows {
  readonly unreadable: readonly string[]
  readonly reserved: readonly string[]
  /** The command that removes the reserved. */
  readonly remove: string
  readonly stored: string
}

function judge({ unreadable, reserved, remove, stored }: Rows): Finding {
  const parts: string[] = []
  const advice: string[] = []
  if (unreadable.length > 0) {
    const are = unreadable.length === 1 ? 'row is' : 'rows are'
    parts.push(`${unreadable.length} ${are} no skill and no prompt (${toNamed(unreadable)})`)
    advice.push('something else writes into these scopes: remove the rows, or give the registry scopes of its own')
  }
  if (reserved.length > 0) {
    const have = reserved.length === 1 ? 'skill has an address that is' : 'skills have addresses that are'
    parts.push(`${reserved.length} ${have} the bridge's own (${toNamed(reserved)})`)
    advice.push(`register them under another id, and remove these: ${remove}`)
  }
  return parts.length === 0 ? ok(`${stored}, all readable`) : warning(parts.join('; '), ...advice)
}

function toNamed(all: readonly string[]): string {
  const more = all.length - MAX_NAMED
  return all.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
