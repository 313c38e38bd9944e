import { checkFilePath, Fault } from '@iii/protocol'
import type { Remote } from './remote.ts'
import { orFault } from './remove.ts'
import type { ItemOutcome } from './report.ts'

/** What became of something that was to be written. */
export interface WriteOutcome {
  outcome: ItemOutcome
  reason?: string
}

/** Writes a file below the folder of the export, as far as that is allowed. */
export type Put = (path: string, bytes: Buffer) => Promise<WriteOutcome>

interface FilesExport {
  remote: Pick<Remote, 'listFiles' | 'readFile'>
  put: Put
  /** Of the skill. */
  id: string
  folder: string
  /** Whether a folder below that one is the folder of another skill. */
  isSkill(inner: string): Promise<boolean>
}

/** Writes the files of a skill beside its text. @param outcome what became of the text @returns what became of the skill */
export async function exportFiles(
  { remote, put, id, folder, isSkill }: FilesExport,
  outcome: ItemOutcome,
): Promise<WriteOutcome> {
  const facts = await remote.listFiles(id).catch(orFault)
  if (facts instanceof Fault) return { outcome: 'failed', reason: facts.message }
  const bad: WriteOutcome[] = []
  let all = outcome
  for (const { path } of facts) {
    const one = await exportFile(path)
    if (one.reason !== undefined) bad.push(one)
    else if (all === 'unchanged' && one.outcome !== 'unchanged') all = 'changed'
  }
  const [first, ...others] = bad
  if (first === undefined) return { outcome: all }
  const more = others.length === 0 ? '' : ` (and ${others.length} more of its files)`
  return { outcome: first.outcome, reason: `${first.reason}${more}` }

  async function exportFile(path: string): Promise<WriteOutcome> {
    // Whoever writes to the store directly may call a file `../../x`; hidden ones could be read by tools such as git.
    const hidden = path.split('/').some((part) => part.startsWith('.'))
    const problem =
      checkFilePath(path) ??
      (hidden ? `file ${path} is hidden, which is not exported` : await explainInner(path, id, isSkill))
    if (problem !== undefined) return { outcome: 'refused', reason: problem }
    const bytes = await remote.readFile(id, path).catch(orFault)
    if (bytes instanceof Fault) return { outcome: 'failed', reason: bytes.message }
    return await put(`${folder}/${path}`, bytes)
  }
}

/** What lies in the folder of a skill is read as a file of that one. */
async function explainInner(path: string, id: string, isSkill: FilesExport['isSkill']): Promise<string | undefined> {
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const inner = path.slice(0, slash)
    if (await isSkill(inner)) return `file ${path} would be one of the skill ${id}/${inner} there: rename one of them`
  }
  return undefined
}
