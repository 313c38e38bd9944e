import { Fault, SKILL_FILE, type SkillEntry, type SkillFile } from '@iii/protocol'
import { CommandFailure, EXIT, formatCount, type Screen, toShown } from '@iii/sdk/cli'
import { isPlain } from '../skill-folder/place.ts'
import { readSkillFile } from '../skill-folder/read-file.ts'
import { type FolderFiles, readFolderFiles } from '../skill-folder/read-files.ts'
import { type Found, type FoundSkill, walkSkills } from '../skill-folder/walk.ts'
import { tellLeftOut } from './list.ts'
import { openFolder } from './open-folder.ts'
import type { CutList, Remote } from './remote.ts'
import { orFault, tryRemove } from './remove.ts'
import { type CommandReport, withReport } from './report.ts'
import type { CommandSession, RegistryWork } from './session.ts'
import { forEachAtOnce, forEachShown } from './side-by-side.ts'

interface Import {
  session: CommandSession
  remote: Remote
  root: string
  found: Found
  listed: CutList<SkillEntry>
  report: CommandReport
}

/** `import DIR` */
export const importFolder: RegistryWork = async (session) => {
  const { operands, flags, screen } = session
  const [dir = ''] = operands
  const { root, found } = await walkSkills(await openFolder(dir))
  const text = found.refused.find(({ path }) => path === SKILL_FILE)
  // What lies beside it are its files, and no skills.
  if (text !== undefined) throw new CommandFailure(EXIT.usage, `${dir}: its ${SKILL_FILE} ${text.reason}`)
  const remote = await session.connect()
  const listed = await remote.listSkills()
  return await withReport(screen, { ...flags, empty: `no markdown files in ${toShown(dir)}` }, async (report) => {
    for (const { path, reason } of found.refused) report.add('refused', path, reason)
    const work: Import = { session, remote, root, found, listed, report }
    await importAll(work)
    if (flags.prune) await prune(work)
    tellRenamed(screen, found.files)
    tellLeftAlone(screen, found)
  })
}

/** Names that people give to files become ids; which ones, `--dry-run` and `--json` say of each. */
function tellRenamed(screen: Screen, files: readonly FoundSkill[]): void {
  const renamed = files.filter((file) => !isPlain(file))
  const [first] = renamed
  if (first !== undefined)
    screen.tell(`not called like their ids: ${formatCount(renamed.length, 'file')} (${first.path} is ${first.id})`)
}

/** How many hidden files are named; a folder can have one of them in each of its folders. */
const MAX_NAMED = 10

function tellLeftAlone(screen: Screen, { others, hidden }: Found): void {
  if (others > 0) screen.tell(`left alone: ${formatCount(others, 'file')} that ${toBe(others)} no markdown`)
  if (hidden.length === 0) return
  const more = hidden.length > MAX_NAMED ? `, and ${hidden.length - MAX_NAMED} more` : ''
  const names = toShown(hidden.slice(0, MAX_NAMED).join(', '))
  screen.tell(`left alone: ${hidden.length} in folders of skills that ${toBe(hidden.length)} hidden (${names}${more})`)
}

function toBe(count: number): string {
  return count === 1 ? 'is' : 'are'
}

async function importAll(work: Import): Promise<void> {
  const { session, root, found, listed, report } = work
  const known = new Map(listed.entries.map((entry) => [entry.id, entry]))
  await forEachShown(session.screen, 'importing', found.files, async (file) => {
    const text = await readSkillFile(root, file.path)
    if (text.problem !== undefined) return report.add('refused', file.path, text.problem)
    if (file.lacks !== undefined) {
      return report.add('refused', file.path, `is not registered without ${file.lacks}, which was refused`)
    }
    const beside = await readFolderFiles(root, file, text.text)
    if (beside.problem !== undefined) return report.add('refused', beside.path, beside.problem)
    await store(work, file, { ...text, files: beside.files, facts: beside.facts }, known.get(file.id))
  })
}

interface Contents extends Pick<FolderFiles, 'facts'> {
  text: string
  bytes: number
  files: readonly SkillFile[]
}

/** Registers what is not there in the same words already. */
async function store(
  { session, remote, listed, report }: Import,
  { id, path }: FoundSkill,
  { text, bytes, files, facts }: Contents,
  entry: SkillEntry | undefined,
): Promise<void> {
  const mayBeListed = entry !== undefined || listed.leftOut > 0
  const mayBeSame = mayBeListed && isLike(entry, bytes, files.length)
  const stored = mayBeSame ? await remote.readSkill(id).catch(orFault) : undefined
  if (stored === text && (await hasFiles(remote, id, facts, entry))) {
    report.add('unchanged', id)
    return
  }
  const isGone = stored instanceof Fault && stored.code === 'not_found'
  // A skill that cannot be compared can be written all the same.
  const failure = session.flags.dryRun ? undefined : await remote.register(id, text, files).catch(orFault)
  if (failure !== undefined) report.add('failed', path, failure.message)
  else report.add(mayBeListed && !isGone ? 'changed' : 'new', id)
}

function isLike(entry: SkillEntry | undefined, bytes: number, count: number): boolean {
  return entry === undefined || (entry.bytes === bytes && (entry.files ?? 0) === count)
}

/** Whether a skill has these files already, and no others. */
async function hasFiles(remote: Remote, id: string, facts: FolderFiles['facts'], entry: SkillEntry | undefined) {
  if (entry !== undefined && facts.size === 0) return true
  const stored = await remote.listFiles(id).catch(orFault)
  if (stored instanceof Fault) return false
  return stored.length === facts.size && stored.every(({ path, sha256 }) => facts.get(path) === sha256)
}

/**
 * Removes the skills below the imported roots that are not in the folder. Only when everything in the folder was read and
 * understood: what looks missing could be what was refused.
 */
async function prune({ session, remote, found, listed, report }: Import): Promise<void> {
  const { screen, flags } = session
  if (report.count('refused', 'failed') > 0) {
    screen.tell('nothing is pruned, because not everything was imported')
    return
  }
  const ids = new Set(found.files.map(({ id }) => id))
  const roots = new Set(found.files.map(({ id }) => toRoot(id)))
  const extra = listed.entries.filter(({ id }) => roots.has(toRoot(id)) && !ids.has(id))
  await forEachAtOnce(extra, async ({ id }) => {
    const removed = flags.dryRun || (await tryRemove(() => remote.removeSkill(id)))
    if (removed instanceof Fault) report.add('failed', id, removed.message)
    else if (removed) report.add('removed', id)
  })
  tellLeftOut(screen, 'skills', listed.leftOut)
}

function toRoot(id: string): string {
  return id.split('/', 1)[0] ?? ''
}
