import { type AgentSkillEntry, compareText, formatSkillUri, type ResourceEntry, SKILL_FILE } from '@iii/protocol'
import { MARKDOWN } from '../files/media-type.ts'
import { bytesOf } from '../records/page.ts'
import { memoizeEach } from '../records/remembered.ts'
import { lastSegment } from '../renditions/name.ts'
import { toSha256 } from '../renditions/render.ts'
import { type AgentSkill, type AgentSkillsView, filesOf, frontMatterOf, type ServedFile, toTreeKey } from './view.ts'

/** A page never has more entries than this, nor more bytes than that, but always one. */
const PAGE_ENTRIES = 100
const PAGE_BYTES = 256 * 1024

const DIRECTORY = 'inode/directory'

interface Page<T> {
  items: T[]
  /** What the next page begins after; absent on the last one. */
  after?: string
}

/** A skill with all files in its directory, those of skills in it among them. */
export const toSkillEntry = memoizeEach((skill: AgentSkill): AgentSkillEntry => {
  const inside = [...filesOf(skill.top).values()].filter(({ path }) => path.startsWith(`${skill.path}/`))
  return {
    uri: formatSkillUri(`${skill.path}/SKILL.md`),
    frontmatter: frontMatterOf(skill),
    resources: inside.map(({ path, sha256, bytes }) => ({
      uri: formatSkillUri(path),
      digest: `sha256:${sha256}`,
      size: bytes,
    })),
  }
})

/** The skills whose paths come after `after`. One that came or went meanwhile moves no other. */
export function toSkillPage({ skills }: AgentSkillsView, after: string | undefined): Page<AgentSkillEntry> {
  const start = after === undefined ? 0 : findAfter(skills, after)
  return cutPage(skills.slice(start), { keyOf: ({ path }) => path, toItem: toSkillEntry })
}

/** The `SKILL.md` of each skill, as a row of `resources/list`. Its address does not tell the id: a `_` is a `-` there. */
export const toManifestRows = memoizeEach(({ skills }: AgentSkillsView): ResourceEntry[] =>
  skills.map((skill) => {
    const { name, description } = frontMatterOf(skill)
    const uri = formatSkillUri(`${skill.path}/${SKILL_FILE}`)
    return { uri, name: String(name), description: String(description), mimeType: MARKDOWN, skill: skill.info.id }
  }),
)

/** What is told of as a change of the list. */
export const toListDigest = memoizeEach(({ skills }: AgentSkillsView): string =>
  toSha256(JSON.stringify(skills.map((skill) => [skill.path, frontMatterOf(skill)['description']]))),
)

/** What lies directly in a directory; undefined when there is none of that path. */
export function toDirectoryPage(
  view: AgentSkillsView,
  directory: string,
  after: string | undefined,
): Page<ResourceEntry> | undefined {
  const children = findChildren(view, directory)
  if (children.size === 0) return directory === '' ? { items: [] } : undefined
  const names = [...children.keys()].sort(compareText)
  const start = after === undefined ? 0 : names.findIndex((name) => compareText(name, after) > 0)
  return cutPage(start === -1 ? [] : names.slice(start), {
    keyOf: (name) => name,
    toItem: (name) => toChild(directory === '' ? name : `${directory}/${name}`, children.get(name)),
  })
}

/** By name: a file, or nothing for what is a directory itself. */
function findChildren(view: AgentSkillsView, directory: string): Map<string, ServedFile | undefined> {
  const children = new Map<string, ServedFile | undefined>()
  const prefix = directory === '' ? '' : `${directory}/`
  const top = directory === '' ? undefined : view.findTop(directory)
  const paths = top ? filesOf(top).keys() : view.skills.map(({ path }) => `${path}/SKILL.md`)
  for (const path of paths) {
    if (!path.startsWith(prefix)) continue
    const [name = '', ...more] = path.slice(prefix.length).split('/')
    children.set(name, more.length === 0 && top ? filesOf(top).get(path) : undefined)
  }
  return children
}

function toChild(path: string, file: ServedFile | undefined): ResourceEntry {
  const uri = formatSkillUri(path)
  const name = lastSegment(path)
  if (file === undefined) return { uri, name, mimeType: DIRECTORY }
  const common = { uri, mimeType: mimeTypeOf(file), size: file.bytes }
  if (file.kind !== 'skill') return { ...common, name }
  const { name: called, description } = frontMatterOf(file.skill)
  return { ...common, name: String(called), description: String(description) }
}

export function mimeTypeOf(file: ServedFile): string {
  return file.kind === 'file' ? file.fact.mimeType : MARKDOWN
}

/** Where the first skill stands whose path comes after `path`. */
function findAfter(skills: readonly AgentSkill[], path: string): number {
  const key = toTreeKey(path)
  let [low, high] = [0, skills.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareText(toTreeKey(skills[middle]?.path ?? ''), key) > 0) high = middle
    else low = middle + 1
  }
  return low
}

interface Cut<From, To> {
  keyOf(from: From): string
  toItem(from: From): To
}

function cutPage<From, To extends object>(all: readonly From[], { keyOf, toItem }: Cut<From, To>): Page<To> {
  const items: To[] = []
  let room = PAGE_BYTES
  for (const from of all.slice(0, PAGE_ENTRIES)) {
    const item = toItem(from)
    room -= bytesOf(item)
    if (room < 0 && items.length > 0) break
    items.push(item)
  }
  const last = all[items.length - 1]
  return items.length < all.length && last !== undefined ? { items, after: keyOf(last) } : { items }
}
