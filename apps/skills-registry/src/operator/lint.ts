import { realpath, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { checkSkillPath, Fault, type SkillFinding } from '@iii/protocol'
import {
  CommandFailure,
  EXIT,
  type ExitCode,
  formatCount,
  formatTable,
  requireUsableFile,
  type Screen,
} from '@iii/sdk/cli'
import type { Options } from '../options.ts'
import { type FileFinding, lintFolder } from './lint-folder.ts'
import { orFault } from './remove.ts'
import type { CommandSession, RegistrySession } from './session.ts'

interface Report {
  /** Those of a folder have a path. */
  findings: readonly (SkillFinding | FileFinding)[]
  skills: number
}

type LintSession = CommandSession & { findPatient(): Pick<RegistrySession, 'settings'> }

/** `lint [DIR|ID]`: a folder where there is one of that name, else a skill of the registry, else all of them. */
export async function lintSkills(session: LintSession): Promise<ExitCode> {
  const [name] = session.operands
  const folder = name === undefined || name.startsWith(SCHEME) ? undefined : await findFolder(name)
  const report = await (folder === undefined
    ? lintRegistered(session, name)
    : lintFolder(folder, readFrontmatter(session)))
  show(session, report)
  return report.findings.some(({ verdict }) => verdict === 'left_out') ? EXIT.failed : EXIT.done
}

/** @throws CommandFailure `usage` for a malformed configuration file. */
function readFrontmatter({ findPatient }: LintSession): Options['frontmatter'] {
  const { settings } = findPatient()
  requireUsableFile(settings)
  return settings.value.frontmatter
}

const SCHEME = 'iii://'

async function findFolder(name: string): Promise<string | undefined> {
  const path = await realpath(resolve(name)).catch(() => undefined)
  return path !== undefined && (await stat(path)).isDirectory() ? path : undefined
}

async function lintRegistered({ connect }: CommandSession, name: string | undefined): Promise<Report> {
  const id = name?.replace(/^iii:\/\//, '')
  const problem = id === undefined ? undefined : checkSkillPath(id)
  if (problem !== undefined) throw new CommandFailure(EXIT.usage, `there is no folder ${name}, and ${problem}`)
  const registry = await connect().catch((error: CommandFailure) => {
    if (name === undefined || name === `${SCHEME}${id}`) throw error
    throw new CommandFailure(error.exitCode, `there is no folder ${name}, and ${error.message}`)
  })
  const report = await registry.lint(id).catch(orFault)
  if (!(report instanceof Fault)) return report
  if (report.code === 'unavailable') throw new CommandFailure(EXIT.missing, report.message)
  if (report.code !== 'not_found') throw report
  throw new CommandFailure(EXIT.missing, `${report.message}, and no folder is called ${name}`)
}

const WORDS = { left_out: 'not served', rendered: 'rendered', warning: 'warning' } as const

function show({ flags, screen }: CommandSession, { findings, skills }: Report): void {
  if (flags.json) screen.printJson({ skills, findings })
  else print(screen, { findings, skills })
}

function print(screen: Screen, { findings, skills }: Report): void {
  const toName = (finding: Report['findings'][number]) => ('path' in finding ? finding.path : finding.id)
  const rows = findings.map((finding) => [WORDS[finding.verdict], toName(finding), finding.reason])
  if (rows.length > 0) screen.print(formatTable([{ title: 'VERDICT' }, { title: 'SKILL' }, { title: 'WHY' }], rows))
  const count = (verdict: SkillFinding['verdict']) =>
    new Set(findings.filter((finding) => finding.verdict === verdict).map(toName)).size
  const parts = [
    formatCount(skills, 'skill'),
    ...(['left_out', 'rendered', 'warning'] as const).flatMap((verdict) =>
      count(verdict) === 0 ? [] : [`${count(verdict)} ${SUMS[verdict]}`],
    ),
  ]
  screen.tell(findings.length === 0 ? `${parts[0]}: all are served as they are` : parts.join(', '))
}

const SUMS = { left_out: 'not served', rendered: 'with front matter made for them', warning: 'with warnings' } as const
