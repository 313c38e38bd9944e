import { formatUri, INDEX_URI, type ResourceEntry, type ResourceTemplate, toTitle } from '@iii/protocol'
import { MARKDOWN } from '../files/media-type.ts'
import { isReachable } from '../skills/reachable.ts'
import type { SkillInfo } from '../skills/skills.ts'
import type { IndexEntry } from './index-page.ts'

export const INDEX_ENTRY: ResourceEntry = {
  uri: INDEX_URI,
  name: 'skills',
  title: 'Skills',
  description: 'Index of every registered skill',
  mimeType: MARKDOWN,
}

/** `+` lets a variable hold slashes: both kinds of path have any number of segments. */
export const TEMPLATES: ResourceTemplate[] = [
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
  {
    uriTemplate: 'skill://{+path}',
    name: 'Skill file',
    description:
      'A file of a skill as hosts of the skills extension read it: skill://orders/SKILL.md is the text of orders',
  },
]

/** A row of `resources/list`; an id that no address leads to is listed all the same, and says so. */
export function toResourceEntry(info: SkillInfo): ResourceEntry {
  const { id, title = titleOf(id), summary, bytes, priority, registered_at } = info
  const reachable = isReachable(id)
  const description = reachable ? summary : `${UNREACHABLE} ${summary ?? ''}`.trimEnd()
  return {
    uri: reachable ? formatUri({ kind: 'skill', id }) : toUnreachableUri(id),
    name: title,
    title,
    ...(description === undefined ? {} : { description }),
    mimeType: MARKDOWN,
    size: bytes,
    annotations: {
      ...(TIME.test(registered_at) ? { lastModified: registered_at } : {}),
      ...(priority === undefined ? {} : { priority }),
    },
    ...(reachable ? {} : { _meta: { 'iii/unreachable': true } }),
  }
}

/** RFC 3339; whoever writes to the scope directly may say anything. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/**
 * What stands in a list for an id without an address: a URI that every client can parse, and that is neither that of the index nor of a
 * section nor of anything that the bridge serves.
 */
function toUnreachableUri(id: string): string {
  const path = id.toWellFormed().split('/').map(encodeURIComponent).join('/')
  return `iii://${path}#unreachable`
}

const UNREACHABLE = 'Unreachable: no address leads to this id any more; register the skill under another one.'

/** A row of the index. */
export function toIndexEntry({ id, title = titleOf(id), summary }: SkillInfo): IndexEntry {
  return { id, title, summary, reachable: isReachable(id) }
}

/** The title of a skill whose text has none. */
function titleOf(id: string): string {
  return toTitle(id, ' ') ?? '(no id)'
}
