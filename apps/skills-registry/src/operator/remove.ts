import { checkPromptName, checkSkillPath, Fault, toFault } from '@iii/protocol'
import { CommandFailure, EXIT } from '@iii/sdk/cli'
import type { Remote } from './remote.ts'
import { withReport } from './report.ts'
import type { CommandSession, RegistryWork } from './session.ts'
import { forEachAtOnce, forEachShown } from './side-by-side.ts'

interface Kind {
  /** What is wrong with a name. Ids that are reserved today may be in old stores: they can be removed. */
  check(name: string): string | undefined
  remove(remote: Remote, name: string): Promise<boolean>
  /** Which of the names are there. */
  find(remote: Remote, names: readonly string[]): Promise<ReadonlySet<string>>
}

const SKILLS: Kind = {
  check: checkSkillPath,
  remove: (remote, id) => remote.removeSkill(id),
  async find(remote, ids) {
    const { entries, leftOut } = await remote.listSkills()
    const found = new Set(entries.map(({ id }) => id))
    const unknown = leftOut === 0 ? [] : ids.filter((id) => !found.has(id))
    await forEachAtOnce(unknown, async (id) => {
      if (await isThere(remote, id)) found.add(id)
    })
    return found
  },
}

const PROMPTS: Kind = {
  check: checkPromptName,
  remove: (remote, name) => remote.removePrompt(name),
  find: async (remote) => new Set((await remote.listPrompts()).entries.map(({ name }) => name)),
}

/** `remove ID…` */
export const removeSkills: RegistryWork = (session) => removeAll(session, SKILLS)

/** `prompts remove NAME…` */
export const removePrompts: RegistryWork = (session) => removeAll(session, PROMPTS)

async function removeAll({ operands, flags, screen, connect }: CommandSession, kind: Kind) {
  const names = [...new Set(operands)]
  const problems = names.flatMap((name) => kind.check(name) ?? [])
  if (problems.length > 0) throw new CommandFailure(EXIT.usage, problems.join('\n'))
  const remote = await connect()
  const there = flags.dryRun ? await kind.find(remote, names) : undefined
  return await withReport(screen, { ...flags, empty: 'nothing removed' }, (report) =>
    forEachShown(screen, 'removing', names, async (name) => {
      const removed = there === undefined ? await tryRemove(() => kind.remove(remote, name)) : there.has(name)
      if (removed instanceof Fault) report.add('failed', name, removed.message)
      else if (removed) report.add('removed', name)
      else report.add('missing', name, 'is not there')
    }),
  )
}

/** Whether it was there; a fault is the registry's answer about this one alone. @throws CommandFailure */
export function tryRemove(remove: () => Promise<boolean>): Promise<boolean | Fault> {
  return remove().catch(orFault)
}

/** What concerns everything goes on its way; what concerns one thing becomes a value. */
export function orFault(error: unknown): Fault {
  if (error instanceof CommandFailure) throw error
  return toFault(error)
}

async function isThere(remote: Remote, id: string): Promise<boolean> {
  const body = await remote.readSkill(id).catch(orFault)
  if (!(body instanceof Fault)) return true
  if (body.code === 'not_found') return false
  throw body
}
