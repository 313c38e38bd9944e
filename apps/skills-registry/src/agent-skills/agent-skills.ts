import {
  type AgentSkillEntry,
  agentSkillsFunctions,
  explainSkillUri,
  Fault,
  formatSkillUri,
  INDEX_URI,
  parseSkillUri,
  type ResourceContents,
  type ResourceEntry,
  SKILL_FILE,
} from '@iii/protocol'
import { findNearestFew, keepJson, type Logger, suggestNames } from '@iii/sdk'
import type { SkillFiles } from '../files/skill-files.ts'
import { refuseAway } from '../records/leases.ts'
import { memoizeEach } from '../records/remembered.ts'
import { toRendition, toSha256 } from '../renditions/render.ts'
import type { ServeFunction } from '../serve.ts'
import type { SkillInfo, Skills } from '../skills/skills.ts'
import { createDescribe, type Describe } from './describe.ts'
import { mimeTypeOf, toDirectoryPage, toListDigest, toManifestRows, toSkillEntry, toSkillPage } from './entries.ts'
import { createLeftOutReport } from './left-out-report.ts'
import { type AgentSkillsView, filesOf, type ServedFile, toView, type ViewOptions } from './view.ts'

/** Beginnings of the ids of skills that the asker may read; undefined: all. */
type Prefixes = readonly string[] | undefined

/** The registered skills as hosts of the skills extension see them. Nothing here says that there is something that the asker may not read. */
export interface AgentSkills {
  view(prefixes: Prefixes): Promise<AgentSkillsView>
  /** A page of skills. @throws Fault with the reason when the store cannot be read. */
  list(after: string | undefined, prefixes: Prefixes): Promise<{ skills: AgentSkillEntry[]; after?: string }>
  /** The `SKILL.md` of each skill, for a list of resources. @throws Fault as `list` does. */
  manifests(): Promise<ResourceEntry[]>
  /** Another text when the list has other skills than before, or other names and descriptions. @throws Fault as `list` does. */
  digest(prefixes: Prefixes): Promise<string>
  /** The ids of the skills that are served otherwise than by this rule for front matter. @throws Fault as `list` does. */
  differing(frontmatter: ViewOptions['frontmatter']): Promise<string[]>
  /** @throws Fault `not_found` for an address of no skill's `SKILL.md`, `invalid_input` for what is no address. */
  get(uri: string, prefixes: Prefixes): Promise<AgentSkillEntry>
  /** @throws Fault as `get` does, for an address of no directory. */
  directory(
    uri: string,
    after: string | undefined,
    prefixes: Prefixes,
  ): Promise<{ resources: ResourceEntry[]; after?: string }>
  /** Reads a file: bytes that are those that `get` announces at that moment. @throws Fault as `get` does, for an address of no file. */
  read(uri: string, prefixes: Prefixes): Promise<ResourceContents>
}

/** Views for so many different askers are kept at once. */
const MAX_VIEWS = 64
/** So many pages of a view are kept. */
const MAX_PAGES = 256
/** Whoever asks chooses what that is found by: nothing is kept for what is longer than any skills have it. */
const MAX_KEY_LENGTH = 65_536
/** So often a file is looked up again that changes while it is read. */
const MAX_TRIES = 8
const MAX_SUGGESTED = 3

export interface AgentSkillsOptions {
  skills: Skills
  files: Pick<SkillFiles, 'read' | 'list'>
  frontmatter(): ViewOptions['frontmatter']
  log: Pick<Logger, 'warn'>
}

export function createAgentSkills({ skills, files, frontmatter, log }: AgentSkillsOptions): AgentSkills {
  const describe = createDescribe(skills, log)
  const { toViewOf, forget } = createViewsOf(describe, frontmatter)

  const report = createLeftOutReport(log)

  const view = async (prefixes: Prefixes) => report(await toViewOf(await skills.list(), prefixes))

  /** What is away with its worker is in a view of all that is stored. @throws Fault `unavailable` for that, else `not_found` */
  async function refuseMissing(what: string, uri: string, prefixes: Prefixes, advise = noAdvice): Promise<never> {
    const path = requirePath(uri)
    const [stored, shown] = await Promise.all([skills.stored.list(), skills.list()])
    const id = stored === shown ? undefined : findIdAt(await toViewOf(stored, prefixes), path)
    const lease = id === undefined ? undefined : stored.find((info) => info.id === id)?.lease
    if (lease !== undefined) refuseAway(`The skill ${id}`, lease)
    throw new Fault('not_found', `${what} at ${uri}${advise(await toViewOf(shown, prefixes), path)}`)
  }

  /** What is not as it was announced has changed. Where the index has settled, what it says of a text is not what this registry makes of it. */
  async function lookAgain(file: ServedFile, tries: number): Promise<void> {
    const { id } = file.kind === 'skill' ? file.skill.info : file.info
    await skills.settle(id)
    if (tries > 0 && file.kind !== 'file') await describeAnew(id)
  }

  async function describeAnew(id: string): Promise<void> {
    const infos = await skills.list()
    const info = infos.find((one) => one.id === id)
    if (info !== undefined) await describe.anew(info)
    forget(infos)
  }

  const readFile = createReader(skills, files)

  return {
    view,
    async list(after, prefixes) {
      const shown = await view(prefixes)
      const pages = pagesOf(shown)
      const made = pages.get(after) ?? toListPage(shown, after)
      return keepFew(pages, MAX_PAGES, [after, made])
    },
    manifests: async () => toManifestRows(await view(undefined)),
    digest: async (prefixes) => toListDigest(await view(prefixes)),
    async differing(rule) {
      const infos = await skills.list()
      const [one, other] = await Promise.all([toViewOf(infos, undefined, rule), toViewOf(infos, undefined)])
      return findDiffering(one, other)
    },
    async get(uri, prefixes) {
      const path = requirePath(uri)
      const skill =
        path.endsWith(`/${SKILL_FILE}`) && (await view(prefixes)).find(path.slice(0, -SKILL_FILE.length - 1))
      return skill ? toSkillEntry(skill) : await refuseMissing(`No skill has its ${SKILL_FILE}`, uri, prefixes)
    },
    async directory(uri, after, prefixes) {
      const page = toDirectoryPage(await view(prefixes), requirePath(uri), after)
      const { items, ...rest } = page ?? (await refuseMissing('No directory of a skill is', uri, prefixes))
      return { resources: items, ...rest }
    },
    async read(uri, prefixes) {
      const path = requirePath(uri)
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const top = (await view(prefixes)).findTop(path)
        const file = top && filesOf(top).get(path)
        if (file === undefined) return await refuseMissing('No file of a skill is', uri, prefixes, suggestFiles)
        const contents = await readFile(file)
        if (contents !== undefined) return { uri, mimeType: mimeTypeOf(file), ...contents }
        await lookAgain(file, tries)
      }
      throw new Fault('unavailable', `What is at ${uri} changes all the time: try again`)
    },
  }
}

/** What was made of a list of skills, for each asker; it stays until the list is another one. */
function createViewsOf(describe: Describe, frontmatter: AgentSkillsOptions['frontmatter']) {
  const viewsOf = memoizeEach((_infos: readonly SkillInfo[]) => new Map<string, AgentSkillsView>())
  return {
    async toViewOf(infos: readonly SkillInfo[], prefixes: Prefixes, rule = frontmatter()): Promise<AgentSkillsView> {
      const views = viewsOf(infos)
      const options = { frontmatter: rule, prefixes: prefixes && [...new Set(prefixes)].sort() }
      const key = JSON.stringify(options)
      const made = views.get(key) ?? toView(await describe.all(infos), options)
      return keepFew(views, MAX_VIEWS, [key, made])
    },
    forget: (infos: readonly SkillInfo[]) => viewsOf(infos).clear(),
  }
}

function keepFew<Key extends string | undefined, Made>(
  kept: Map<Key, Made>,
  max: number,
  [key, made]: [Key, Made],
): Made {
  if (kept.size > max) kept.clear()
  if (key === undefined || key.length <= MAX_KEY_LENGTH) kept.set(key, made)
  return made
}

/** The ids of what two views have otherwise. */
function findDiffering(one: AgentSkillsView, other: AgentSkillsView): string[] {
  const [paths, others] = [one, other].map(({ skills }) => new Map(skills.map(({ info, path }) => [info.id, path])))
  const ids = new Set([...(paths?.keys() ?? []), ...(others?.keys() ?? [])])
  return [...ids].filter((id) => paths?.get(id) !== others?.get(id))
}

type ListPage = Awaited<ReturnType<AgentSkills['list']>>

/** Hosts ask for the same pages again and again. */
const pagesOf = memoizeEach((_view: AgentSkillsView) => new Map<string | undefined, ListPage>())

function toListPage(view: AgentSkillsView, after: string | undefined): ListPage {
  const { items, ...rest } = toSkillPage(view, after)
  return keepJson({ skills: items, ...rest })
}

const noAdvice = (_view: AgentSkillsView, _path: string) => ''

/** What to read instead of a path that is no file. A skill goes by the name of its directory. */
function suggestFiles({ skills }: AgentSkillsView, path: string): string {
  const tops = new Set(skills.map(({ top }) => top))
  const files = new Map([...tops].flatMap((top) => [...filesOf(top).keys()].map((file) => [toNamed(file), file])))
  const nearest = findNearestFew(toNamed(path), files.keys(), MAX_SUGGESTED)
  const uris = nearest.map((near) => formatSkillUri(files.get(near) ?? near))
  return suggestNames(uris, `${INDEX_URI} has all skills`)
}

function toNamed(path: string): string {
  return path.endsWith(`/${SKILL_FILE}`) ? path.slice(0, -SKILL_FILE.length - 1) : path
}

/** The id of what is at a path, or of something below it. */
function findIdAt(view: AgentSkillsView, path: string): string | undefined {
  const top = view.findTop(path)
  const files = top === undefined ? [] : [...filesOf(top).values()]
  const file = files.find((one) => one.path === path || one.path.startsWith(`${path}/`))
  return file?.kind === 'skill' ? file.skill.info.id : file?.info.id
}

/** Reads what is served. @returns undefined where the content is not what was announced: it has changed meanwhile. */
function createReader(skills: Pick<Skills, 'read'>, files: Pick<SkillFiles, 'read'>) {
  async function readContent(file: Extract<ServedFile, { kind: 'file' }>): Promise<Content | undefined> {
    const row = await files.read(file.info.id, file.sha256)
    if (row === undefined) return undefined
    return row.text === undefined ? { blob: row.base64 ?? '' } : { text: row.text }
  }

  async function readText(file: Exclude<ServedFile, { kind: 'file' }>): Promise<Content | undefined> {
    const { id } = file.kind === 'skill' ? file.skill.info : file.info
    const row = await skills.read(id)
    const text = row && (file.kind === 'skill' ? toRendition(id, row.skill).text : row.skill)
    return text !== undefined && toSha256(text) === file.sha256 ? { text } : undefined
  }

  return (file: ServedFile): Promise<Content | undefined> => (file.kind === 'file' ? readContent(file) : readText(file))
}

type Content = { text: string } | { blob: string }

/** @throws Fault `invalid_input` with what would be right. */
function requirePath(uri: string): string {
  const path = parseSkillUri(uri)
  if (path === undefined) throw new Fault('invalid_input', explainSkillUri(uri) ?? `No skill:// address: ${uri}`)
  return path
}

/** Puts `skills::mcp-list`, `skills::mcp-get`, `skills::mcp-directory` and `skills::mcp-digest` on the bus. */
export function serveAgentSkills(serve: ServeFunction, agentSkills: AgentSkills): void {
  serve(agentSkillsFunctions.list, ({ after, prefixes }) => agentSkills.list(after, prefixes))
  serve(agentSkillsFunctions.get, ({ uri, prefixes }) => agentSkills.get(uri, prefixes))
  serve(agentSkillsFunctions.directory, ({ uri, after, prefixes }) => agentSkills.directory(uri, after, prefixes))
  serve(agentSkillsFunctions.digest, async ({ prefixes }) => ({ digest: await agentSkills.digest(prefixes) }))
}
