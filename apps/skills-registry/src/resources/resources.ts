import {
  agentSkillsFunctions,
  Base64,
  Fault,
  INDEX_URI,
  InputRequired,
  isSkillShown,
  MAX_URI_LENGTH,
  parseSkillUri,
  ResourceContents,
  type ResourceEntry,
  type ResourceUri,
  requireUri,
  SKILL_SCHEME,
  skillsFunctions,
  toSectionContent,
} from '@iii/protocol'
import { findNearestFew, keepJson, suggestNames } from '@iii/sdk'
import { z } from 'zod'
import type { AgentSkills } from '../agent-skills/agent-skills.ts'
import { toDirectoryText } from '../agent-skills/directory-text.ts'
import { MARKDOWN } from '../files/media-type.ts'
import type { FunctionCalls } from '../invocation/function-calls.ts'
import { readShown } from '../invocation/sidecar.ts'
import { toAnswer } from '../records/page.ts'
import { memoize, memoizeEach } from '../records/remembered.ts'
import type { ServeFunction } from '../serve.ts'
import { explainReserved } from '../skills/reachable.ts'
import type { SkillInfo, Skills } from '../skills/skills.ts'
import { inTreeOrder } from '../skills/tree.ts'
import { toSkillBrief } from './brief.ts'
import { toIndexPage } from './index-page.ts'
import { INDEX_ENTRY, TEMPLATES, toIndexEntry, toResourceEntry } from './resource-entry.ts'

const MAX_SUGGESTED = 3
/** Indexes for so many different askers are kept. */
const MAX_BRIEFS = 64

const memoizedEntry = memoizeEach(toResourceEntry)
const memoizedIndexEntry = memoizeEach(toIndexEntry)
const briefsOf = memoizeEach((_infos: readonly SkillInfo[]) => new Map<string, string>())

const ReadResult = z.union([z.looseObject({ contents: z.array(ResourceContents) }), InputRequired])
/** What a reading gives: contents, or the questions that a section has for the client first. */
export type ReadResult = z.infer<typeof ReadResult>

interface Seen {
  /** Why nothing is stored there. */
  reserved: string | undefined
  /** Beginnings of the ids that the asker reads; undefined: all. */
  shown: readonly string[] | undefined
}

/** Everything that has an `iii://` or `skill://` address here. */
export interface Resources {
  /** The index, then every skill in tree order, and `SKILL.md` files where they are wanted, as many as one message holds. */
  list(): Promise<{ resources: ResourceEntry[]; left_out?: number }>
  /**
   * Resolves one address.
   *
   * @param metadata of the invocation that asks for it.
   * @throws Fault `invalid_input` for what is no address, `not_found` for a skill that is not there, `forbidden` for a
   *   section that is internal, and what the store or the section's function said.
   */
  read(uri: string, metadata: unknown): Promise<ReadResult>
  /** The same, and of a `skill://` directory a text of what is in it: for whoever has no method to list it. */
  readOrList(uri: string, metadata: unknown): Promise<ReadResult>
  /** The index of skills for instructions. @param prefixes beginnings of the ids that the asker reads; undefined: all */
  brief(prefixes: readonly string[] | undefined): Promise<string>
}

export interface ResourcesOptions {
  skills: Skills
  calls: FunctionCalls
  agentSkills: Pick<AgentSkills, 'read' | 'manifests' | 'view'>
  /** Whether each skill is listed by the address of its `SKILL.md` as well. */
  listsFiles(): boolean
}

export function createResources({ skills, calls, agentSkills, listsFiles }: ResourcesOptions): Resources {
  async function readSkill(id: string, shown: readonly string[] | undefined): Promise<string> {
    const reserved = explainReserved(id)
    const row = reserved === undefined && isSkillShown(id, shown) ? await skills.read(id) : undefined
    if (row === undefined)
      throw new Fault('not_found', `Skill not found: ${id}${await advise(id, { reserved, shown })}`)
    return row.skill
  }

  /** What to read instead. */
  async function advise(id: string, { reserved, shown }: Seen): Promise<string> {
    if (reserved !== undefined) return ` (${reserved})`
    const ids = (await skills.list()).map((info) => info.id).filter((other) => isSkillShown(other, shown))
    const nearest = findNearestFew(id, ids, MAX_SUGGESTED).map((near) => `iii://${near}`)
    return suggestNames(nearest, `${INDEX_URI} has all of them`)
  }

  async function read(uri: string, metadata: unknown): Promise<ReadResult> {
    const shown = readShown(metadata)
    if (uri.startsWith(SKILL_SCHEME)) return { contents: [await agentSkills.read(uri, shown)] }
    const address = requireAddress(uri)
    if (address.kind === 'index') return toShownIndex(await skills.list(), shown)
    if (address.kind === 'skill') return toText(uri, await readSkill(address.id, shown))
    const { functionId, namespace } = address
    const call = { functionId, namespace, payload: {}, via: 'section', metadata, uri } as const
    return toReadResult(uri, await calls.call(call))
  }

  return {
    async list() {
      const infos = await skills.list()
      return listsFiles()
        ? toAnswer('resources', [...toRows(infos), ...(await agentSkills.manifests())])
        : toList(infos)
    },
    read,
    async readOrList(uri, metadata) {
      const path = parseSkillUri(uri)
      const view = path === undefined ? undefined : await agentSkills.view(readShown(metadata))
      const text = path === undefined || view === undefined ? undefined : toDirectoryText(view, path)
      return text === undefined ? await read(uri, metadata) : toText(uri, text)
    },
    async brief(prefixes) {
      const infos = await skills.list()
      const briefs = briefsOf(infos)
      const key = JSON.stringify(prefixes ?? null)
      const made = briefs.get(key) ?? toSkillBrief(infos.filter(({ id }) => isSkillShown(id, prefixes)))
      if (briefs.size > MAX_BRIEFS) briefs.clear()
      briefs.set(key, made)
      return made
    },
  }
}

/** Puts `skills::resources-list`, `skills::resources-read`, `skills::resources-templates` and `skills::mcp-brief` on the bus. */
export function serveResources(serve: ServeFunction, resources: Resources): void {
  serve(skillsFunctions.resourcesList, () => resources.list())
  serve({ ...skillsFunctions.resourcesRead, response: ReadResult }, ({ uri }, metadata) =>
    resources.read(uri, metadata),
  )
  serve(skillsFunctions.resourcesTemplates, () => ({ resourceTemplates: TEMPLATES }))
  serve(agentSkillsFunctions.brief, async ({ prefixes }) => ({ text: await resources.brief(prefixes) }))
}

const toIndex = memoize((infos: readonly SkillInfo[]) =>
  keepJson(toText(INDEX_URI, toIndexPage(infos.map(memoizedIndexEntry)))),
)

/** @throws Fault `invalid_input` for what is no address of the registry. That of a file of a skill is read before. */
function requireAddress(uri: string): ResourceUri {
  if (uri.startsWith('iii://') || uri.length > MAX_URI_LENGTH) return requireUri(uri)
  throw new Fault('invalid_input', `Resource URI must start with iii:// or ${SKILL_SCHEME}: ${uri.toWellFormed()}`)
}

function toShownIndex(infos: readonly SkillInfo[], shown: readonly string[] | undefined): ReadResult {
  if (shown === undefined) return toIndex(infos)
  return toText(INDEX_URI, toIndexPage(infos.filter(({ id }) => isSkillShown(id, shown)).map(memoizedIndexEntry)))
}

const toRows = memoize((infos: readonly SkillInfo[]) => [INDEX_ENTRY, ...inTreeOrder(infos).map(memoizedEntry)])

const toList = memoize((infos: readonly SkillInfo[]) => toAnswer('resources', toRows(infos)))

function toText(uri: string, text: string): ReadResult {
  return { contents: [{ uri, mimeType: MARKDOWN, text }] }
}

const Ready = z.looseObject({ contents: z.array(ResourceContents).min(1) })
const Binary = z.object({ blob: Base64, mimeType: z.string() })

/** What the function of a section returned: a result that is ready for the client passes, anything else becomes text. */
function toReadResult(uri: string, value: unknown): ReadResult {
  const asked = InputRequired.safeParse(value).data
  if (asked !== undefined) return asked
  if (Ready.safeParse(value).success) return value as ReadResult
  const binary = Binary.safeParse(value).data
  return { contents: [binary ? { uri, ...binary } : { uri, ...toSectionContent(value) }] }
}
