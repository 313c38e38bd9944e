import { resolve } from 'node:path'
import { checkSkillId, Fault } from '@iii/protocol'
import { CommandFailure, EXIT } from '@iii/sdk/cli'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { explainSystem } from '../skill-folder/inside.ts'
import { formatPlace } from '../skill-folder/place.ts'
import { createSpellings, type Spellings } from '../skill-folder/spellings.ts'
import { lookAt, type Present, writeBelow } from '../skill-folder/write-file.ts'
import { makeFolder } from './make-folder.ts'
import { openFolder } from './open-folder.ts'
import type { Remote } from './remote.ts'
import { orFault } from './remove.ts'
import { type ItemOutcome, withReport } from './report.ts'
import type { Flags, RegistryWork } from './session.ts'
import { forEachShown } from './side-by-side.ts'

/** `export DIR` */
export const exportFolder: RegistryWork = async ({ operands: [dir = ''], flags, screen, connect }) => {
  const remote = await connect()
  const { entries, leftOut } = await remote.listSkills()
  const root = await openTarget(dir, flags)
  const spellings = createSpellings(root)
  return await withReport(screen, { ...flags, empty: 'no skills' }, async (report) => {
    const missing = `the registry has ${leftOut} more than it lists: they are not exported`
    if (leftOut > 0) report.add('failed', 'skills', missing)
    await forEachShown(screen, 'exporting', entries, async ({ id }) => {
      const { outcome, name, reason } = await exportSkill({ remote, root, spellings, flags }, id)
      report.add(outcome, name, reason)
    })
  })
}

/** A dry run does not even make the folder. */
async function openTarget(dir: string, { dryRun }: Flags): Promise<string> {
  try {
    if (!dryRun) await makeFolder(dir)
  } catch (error) {
    throw new CommandFailure(EXIT.failed, `${dir}: ${explainSystem(error)}`)
  }
  return await openFolder(dir).catch((failure: CommandFailure) => {
    if (dryRun && failure.exitCode === EXIT.missing) return resolve(dir)
    throw failure
  })
}

interface Export {
  remote: Remote
  root: string
  /** What the folder had before. */
  spellings: Spellings
  flags: Flags
}

interface Exported {
  outcome: ItemOutcome
  name: string
  reason?: string
}

async function exportSkill({ remote, root, spellings, flags }: Export, id: string): Promise<Exported> {
  // Whoever writes to the store directly may call a skill `../../x`.
  const problem = checkSkillId(id)
  if (problem !== undefined) return { outcome: 'refused', name: id, reason: problem }
  const text = await remote.readSkill(id).catch(orFault)
  if (text instanceof Fault) {
    const outcome = text.code === 'not_found' ? 'missing' : 'failed'
    return { outcome, name: id, reason: text.message }
  }
  const bytes = Buffer.from(text)
  const place = await choosePlace(spellings, id, text)
  if (typeof place !== 'string') return { outcome: 'refused', name: id, reason: place.problem }
  const present = await lookAt(root, place, bytes)
  const refusal = explain(present, place, flags)
  if (refusal !== undefined) return { outcome: 'refused', name: id, reason: refusal }
  if (present === 'same') return { outcome: 'unchanged', name: place }
  const failure = flags.dryRun ? undefined : await writeBelow(root, place, bytes)
  if (failure !== undefined) return { outcome: 'failed', name: id, reason: failure }
  return { outcome: present === 'nothing' ? 'new' : 'changed', name: place }
}

/** A skill stays in the file that it has in the folder. A new one goes where its kind belongs. */
async function choosePlace(spellings: Spellings, id: string, text: string): Promise<string | { problem: string }> {
  const taken = await spellings.find(id)
  if (taken.length > 1) return { problem: `${taken.join(' and ')} are both there; keep one of them` }
  return taken[0] ?? formatPlace(id, isAgentSkill(text) ? 'folder' : 'file')
}

/** Agent Skills have a name and a description in their front matter; plain markdown has not. */
function isAgentSkill(text: string): boolean {
  const { name, description } = splitFrontMatter(text).fields
  return name !== undefined && description !== undefined
}

function explain(present: Present, place: string, { force }: Flags): string | undefined {
  if (typeof present === 'object') return present.problem
  return present === 'other' && !force ? `${place} is there with other content; --force overwrites it` : undefined
}
