import { compareText, type SkillFinding } from '@iii/protocol'
import { type Described, toView } from '../agent-skills/view.ts'
import { toFileFact } from '../files/skill-files.ts'
import { lintSkill } from '../lint/lint-skill.ts'
import type { Options } from '../options.ts'
import { toAgentFacts } from '../renditions/facts.ts'
import { readSkillFile } from '../skill-folder/read-file.ts'
import { readFolderFiles } from '../skill-folder/read-files.ts'
import { type FoundSkill, walkSkills } from '../skill-folder/walk.ts'
import { forEachAtOnce } from './side-by-side.ts'

/** What is said of a file; without an id, of one that is no skill. */
export type FileFinding = Omit<SkillFinding, 'id'> & { id?: string; path: string }

interface Readable {
  file: FoundSkill
  text: string
  info: Described
}

/** Says of the files of a folder what a registry would say of the skills that `import` makes of them, and what it would refuse. The folder may be that of one skill. */
export async function lintFolder(
  folder: string,
  frontmatter: Options['frontmatter'],
): Promise<{ findings: FileFinding[]; skills: number }> {
  const { root, found } = await walkSkills(folder)
  const findings: FileFinding[] = found.refused.map(({ path, reason }) => ({ path, verdict: 'left_out', reason }))
  const readable: Readable[] = []
  await forEachAtOnce(found.files, async (file) => {
    const read = await readFile(root, file)
    if ('info' in read) readable.push(read)
    else findings.push({ id: file.id, verdict: 'left_out', ...read })
  })
  const view = toView(
    readable.map(({ info }) => info),
    { frontmatter },
  )
  for (const { file, text } of readable) {
    findings.push(...lintSkill(file.id, text, view).map((finding) => ({ path: file.path, ...finding })))
  }
  return { findings: findings.sort((a, b) => compareText(a.path, b.path)), skills: found.files.length }
}

async function readFile(root: string, file: FoundSkill): Promise<Readable | { path: string; reason: string }> {
  const { path, id, lacks } = file
  const content = await readSkillFile(root, path)
  if (content.problem !== undefined) return { path, reason: content.problem }
  if (lacks !== undefined) return { path, reason: `is not registered without ${lacks}, which is refused` }
  const beside = await readFolderFiles(root, file, content.text)
  if (beside.problem !== undefined) return { path: beside.path, reason: beside.problem }
  const { text, bytes } = content
  const info = { id, bytes, agent: toAgentFacts(id, text), files: beside.files.map(toFileFact) }
  return { file, text, info }
}
