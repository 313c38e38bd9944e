import { resolve } from 'node:path'
import { dirname } from 'node:path/posix'
import { checkSkillId, Fault, SKILL_FILE, type SkillEntry } from '@iii/protocol'
import { CommandFailure, EXIT, formatCount, makeFolder } from '@iii/sdk/cli'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import { explainSystem } from '../skill-folder/inside.ts'
import { formatSkillPlace } from '../skill-folder/place.ts'
import { createSpellings, type Spellings } from '../skill-folder/spellings.ts'
import { lookAt, type Present, writeBelow } from '../skill-folder/write-file.ts'
import { exportFiles, type Put, type WriteOutcome } from './export-files.ts'
import { openFolder } from './open-folder.ts'
import type { Remote } from './remote.ts'
import { orFault } from './remove.ts'
import { type ItemOutcome, withReport } from './report.ts'
import type { Flags, RegistryWork } from './session.ts'
import { forEachShown } from './side-by-side.ts'

/** `export DIR` */
export const exportFolder: RegistryWork = async ({ operands: [dir = ''], flags, screen, connect }) => {
  const remote = await connect()
  const { entries: listed, leftOut } = await remote.listSkills()
  const entries = listed.filter(({ away }) => away === undefined)
  if (entries.length < listed.length)
    screen.tell(`away with their workers: ${formatCount(listed.length - entries.length, 'skill')}`)
  const root = await openTarget(dir, flags)
  const spellings = createSpellings(root)
  return await withReport(screen, { ...flags, empty: 'no skills' }, async (report) => {
    const missing = `the registry has ${leftOut} more than it lists: they are not exported`
    if (leftOut > 0) report.add('failed', 'skills', missing)
    const ids = new Set(entries.map(({ id }) => id))
    const work: Export = { remote, root, spellings, ids, skillFolders: new Set(), flags }
    // Whether a text lies in the folder of a skill is known once those above it have their places.
    for (const level of toLevels(entries)) {
      await forEachShown(screen, 'exporting', level, async (entry) => {
        const { outcome, name, reason } = await exportSkill(work, entry)
        report.add(outcome, name, reason)
      })
    }
  })
}

/** A dry run does not even make the folder. */
async function openTarget(dir: string, { dryRun }: Flags): Promise<string> {
  return await openFolder(dir).catch(async (failure: CommandFailure) => {
    if (failure.exitCode !== EXIT.missing) throw failure
    if (dryRun) return resolve(dir)
    await makeFolder(dir).catch((error: unknown) => {
      throw new CommandFailure(EXIT.failed, `${dir}: ${explainSystem(error)}`)
    })
    return await openFolder(dir)
  })
}

interface Export {
  remote: Remote
  root: string
  /** What the folder had before. */
  spellings: Spellings
  /** Of all that are exported. */
  ids: ReadonlySet<string>
  /** What was written as `SKILL.md` now. */
  skillFolders: Set<string>
  flags: Flags
}

interface Exported {
  outcome: ItemOutcome
  name: string
  reason?: string
}

function toLevels(entries: readonly SkillEntry[]): SkillEntry[][] {
  const levels = new Map<number, SkillEntry[]>()
  for (const entry of entries) {
    const depth = entry.id.split('/').length
    const level = levels.get(depth) ?? []
    level.push(entry)
    levels.set(depth, level)
  }
  return [...levels].sort(([a], [b]) => a - b).map(([, level]) => level)
}

async function exportSkill(work: Export, { id, files: count = 0 }: SkillEntry): Promise<Exported> {
  const { remote, root, flags } = work
  // Whoever writes to the store directly may call a skill `../../x`.
  const problem = checkSkillId(id)
  if (problem !== undefined) return { outcome: 'refused', name: id, reason: problem }
  const text = await remote.readSkill(id).catch(orFault)
  if (text instanceof Fault) {
    const outcome = text.code === 'not_found' ? 'missing' : 'failed'
    return { outcome, name: id, reason: text.message }
  }
  const bytes = Buffer.from(text)
  const place = await choosePlace(work, id, { isFolder: count > 0 || isAgentSkill(text), hasFiles: count > 0 })
  if (typeof place !== 'string') return { outcome: 'refused', name: id, reason: place.problem }
  if (place.endsWith(`/${SKILL_FILE}`)) work.skillFolders.add(dirname(place))
  const put: Put = (path, content) => putFile({ root, flags }, path, content)
  const own = await put(place, bytes)
  const name = own.reason === undefined ? place : id
  if (own.reason !== undefined || count === 0) return { ...own, name }
  const folder = dirname(place)
  const isSkill = async (inner: string) =>
    work.ids.has(`${id}/${inner}`) || (await work.spellings.isSkillFolder(`${folder}/${inner}`))
  return { name, ...(await exportFiles({ remote, put, id, folder, isSkill }, own.outcome)) }
}

async function putFile(
  { root, flags }: Pick<Export, 'root' | 'flags'>,
  path: string,
  bytes: Buffer,
): Promise<WriteOutcome> {
  const present = await lookAt(root, path, bytes)
  const refusal = explain(present, path, flags)
  if (refusal !== undefined) return { outcome: 'refused', reason: refusal }
  if (present === 'same') return { outcome: 'unchanged' }
  const failure = flags.dryRun ? undefined : await writeBelow(root, path, bytes)
  if (failure !== undefined) return { outcome: 'failed', reason: failure }
  return { outcome: present === 'nothing' ? 'new' : 'changed' }
}

/** A skill stays in the file that it has in the folder. A new one goes where its kind belongs. */
async function choosePlace(work: Export, id: string, { isFolder, hasFiles }: { isFolder: boolean; hasFiles: boolean }) {
  const found = await Promise.all(
    (await work.spellings.find(id)).map(async (path) => ((await isFileOfSkill(work, path)) ? [] : [path])),
  )
  const taken = found.flat()
  if (taken.length > 1) return { problem: `${taken.join(' and ')} are both there; keep one of them` }
  const [place = isFolder ? formatSkillPlace(id, 'folder') : formatSkillPlace(id, 'file')] = taken
  if (hasFiles && !place.endsWith(`/${SKILL_FILE}`)) {
    return { problem: `it has files, and ${place} is in the way: move it to ${formatSkillPlace(id, 'folder')}` }
  }
  return (await isFileOfSkill(work, place)) ? formatSkillPlace(id, 'folder') : place
}

/** Whether what lies at a path would be read as a file of the skill whose folder it is in. */
async function isFileOfSkill({ spellings, skillFolders }: Export, path: string): Promise<boolean> {
  if (path.endsWith(`/${SKILL_FILE}`)) return false
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if (skillFolders.has(folder) || (await spellings.isSkillFolder(folder))) return true
  }
  return false
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
