import {
  checkSkillId,
  Fault,
  formatUri,
  INDEX_URI,
  InputRequired,
  ResourceContents,
  type ResourceEntry,
  type ResourceTemplate,
  requireUri,
  skillsFunctions,
  toSectionContent,
} from '@iii/protocol'
import { z } from 'zod'
import type { FunctionCalls } from './function-calls.ts'
import { toIndexPage } from './index-page.ts'
import type { Serve } from './serve.ts'
import { type Sidecar, toSidecar, withUri } from './sidecar.ts'
import type { SkillInfo, Skills } from './skills.ts'
import { inTreeOrder } from './tree.ts'

const MARKDOWN = 'text/markdown'

const ReadResult = z.union([z.looseObject({ contents: z.array(ResourceContents) }), InputRequired])
/** What a reading gives: contents, or the questions that a section has for the client first. */
export type ReadResult = z.infer<typeof ReadResult>

/** Everything that has an `iii://` address here. */
export interface Resources {
  /** The index, then every skill in tree order. */
  list(): Promise<ResourceEntry[]>
  /**
   * Resolves one address.
   *
   * @throws Fault `invalid_input` for what is no address, `not_found` for a skill that is not there, `forbidden` for a
   *   section that is internal, and what the store or the section's function said.
   */
  read(uri: string, sidecar: Sidecar | undefined): Promise<ReadResult>
}

export function createResources(skills: Skills, calls: FunctionCalls): Resources {
  async function readSkill(id: string): Promise<string> {
    refuseReserved(id)
    const row = await skills.read(id)
    if (row === undefined) throw new Fault('not_found', `Skill not found: ${id}`)
    return row.skill
  }

  return {
    async list() {
      const infos = await skills.list()
      return [INDEX_ENTRY, ...inTreeOrder(infos).map(toEntry)]
    },
    async read(uri, sidecar) {
      const address = requireUri(uri)
      if (address.kind === 'index') return toText(uri, toIndexPage((await skills.list()).map(toIndexEntry)))
      if (address.kind === 'skill') return toText(uri, await readSkill(address.id))
      const { functionId } = address
      const call = { functionId, payload: {}, via: 'section', sidecar: withUri(sidecar, uri) } as const
      return toReadResult(uri, await calls.call(call))
    },
  }
}

/** Puts `skills::resources-list`, `skills::resources-read` and `skills::resources-templates` on the bus. */
export function serveResources(serve: Serve, resources: Resources): void {
  serve(skillsFunctions.resourcesList, async () => ({ resources: await resources.list() }))
  serve({ ...skillsFunctions.resourcesRead, response: ReadResult }, ({ uri }, metadata) =>
    resources.read(uri, toSidecar(metadata)),
  )
  serve(skillsFunctions.resourcesTemplates, () => ({ resourceTemplates: TEMPLATES }))
}

const INDEX_ENTRY: ResourceEntry = {
  uri: INDEX_URI,
  name: 'skills',
  title: 'Skills',
  description: 'Index of every registered skill',
  mimeType: MARKDOWN,
}

/** `+` lets a variable hold slashes: both kinds of path have any number of segments. */
const TEMPLATES: ResourceTemplate[] = [
  {
    uriTemplate: 'iii://{+skill_id}',
    name: 'Skill',
    description: "Markdown of a registered skill; its id has one or more segments separated by '/'",
    mimeType: MARKDOWN,
  },
  {
    uriTemplate: 'iii://fn/{+function_path}',
    name: 'Skill section',
    description:
      "Live output of an engine function called with {}: the function's id with every '::' written as '/' (orders::report is iii://fn/orders/report)",
    mimeType: MARKDOWN,
  },
]

function toEntry(info: SkillInfo): ResourceEntry {
  const { id, title = id, summary, bytes, priority, registered_at: lastModified } = info
  const reachable = isReachable(id)
  const description = reachable ? summary : `${UNREACHABLE} ${summary ?? ''}`.trimEnd()
  return {
    uri: formatUri({ kind: 'skill', id }),
    name: title,
    title,
    ...(description === undefined ? {} : { description }),
    mimeType: MARKDOWN,
    size: bytes,
    annotations: { lastModified, ...(priority === undefined ? {} : { priority }) },
    ...(reachable ? {} : { _meta: { 'iii/unreachable': true } }),
  }
}

const UNREACHABLE = 'Unreachable: no address leads to this id any more; register the skill under another one.'

function toIndexEntry({ id, title = id, summary }: SkillInfo) {
  return { id, title, summary, reachable: isReachable(id) }
}

/** Old stores, and whoever writes to the scope directly, may hold ids that could not be registered today. */
function isReachable(id: string): boolean {
  return checkSkillId(id) === undefined
}

function refuseReserved(id: string): void {
  if (isReachable(id)) return
  const [root = ''] = id.split('/', 1)
  const owner =
    root === 'skills'
      ? `the index at ${INDEX_URI}`
      : `what the MCP bridge serves itself: read iii://${id} with resources/read`
  throw new Fault('not_found', `Skill not found: ${id} ("${root}" is reserved for ${owner})`)
}

function toText(uri: string, text: string): ReadResult {
  return { contents: [{ uri, mimeType: MARKDOWN, text }] }
}

const Ready = z.looseObject({ contents: z.array(ResourceContents).min(1) })
const Binary = z.object({ blob: z.string(), mimeType: z.string() })

/** What the function of a section returned: a result that is ready for the client passes, anything else becomes text. */
function toReadResult(uri: string, value: unknown): ReadResult {
  const special = InputRequired.safeParse(value).success || Ready.safeParse(value).success
  if (special) return value as ReadResult
  const binary = Binary.safeParse(value).data
  return { contents: [binary ? { uri, ...binary } : { uri, ...toSectionContent(value) }] }
}
