import { createHash } from 'node:crypto'
import { formatUri, isRecord, type JsonObject } from '@iii/protocol'
import { stringify } from 'yaml'
import { type FrontMatter, isFrontMatterOpen, splitFrontMatter } from '../markdown/front-matter.ts'
import { type Outline, toOutline } from '../markdown/outline.ts'
import { toOneLine } from '../markdown/plain-text.ts'
import { ODD_CHARACTERS, readAgentFrontMatter } from './front-matter.ts'
import { lastSegment, toAgentName } from './name.ts'
import { toPlainYaml } from './plain-yaml.ts'

/** A skill as hosts of the skills extension read it: the text of its `SKILL.md`. */
export interface Rendition {
  text: string
  /** What stands in the front matter of that text. */
  frontmatter: JsonObject
  /** Whether the text is another than the registered one. */
  isRendered: boolean
  /** Whether the registered text has a name and a description of its own. */
  declares: boolean
  /** Why the registered text is not served as it is. */
  reason?: string | undefined
}

/**
 * Which form this registry gives a `SKILL.md`: another number whenever it makes other bytes or other fields of one text, or lists show
 * another title or summary of it.
 */
export const RENDITION = 6

/** The longest description that Agent Skills may have, in characters. */
const MAX_DESCRIPTION = 1024
/** The longest text that says what a skill needs, in characters. */
const MAX_COMPATIBILITY = 500

/**
 * Makes the `SKILL.md` of a registered skill. A text whose front matter is that of an Agent Skill stays as it is, byte for byte; any other
 * gets front matter: the last segment of its id as the name, its summary as the description, its own other fields, its title as
 * `metadata.title`, and where it is from. The same skill always gives the same bytes.
 *
 * @param outline of the text, where somebody has read it already
 *
 * @example
 * toRendition('orders', '# Orders\n\nCreate orders.').frontmatter
 * // { name: 'orders', description: 'Create orders.', metadata: { title: 'Orders', 'iii-source': 'iii://orders' } }
 */
export function toRendition(id: string, markdown: string, outline?: Outline): Rendition {
  const name = toAgentName(lastSegment(id))
  const read = readAgentFrontMatter(markdown)
  const fields = read && 'fields' in read ? read.fields : undefined
  const reason = read && 'problem' in read ? read.problem : explain(fields, name, markdown)
  const declares = fields !== undefined && isText(fields['name']) && isText(fields['description'])
  if (fields !== undefined && reason === undefined) {
    return { text: markdown, frontmatter: fields, isRendered: false, declares }
  }
  const { text, fields: written } = splitFrontMatter(markdown)
  const rest = read && 'rest' in read ? read.rest : toRest(text)
  return {
    ...render({ id, name, fields: fields ?? {}, written, rest, outline: outline ?? toOutline(markdown) }),
    declares,
    reason,
  }
}

const NO_FRONT_MATTER =
  'it has no front matter: begin it with lines that say name and description, between lines of ---'
const NO_END = 'it begins with a line of --- and no other one ends its front matter: write one behind the description'

/** What keeps front matter from being that of an Agent Skill of this name. */
function explain(fields: JsonObject | undefined, name: string, markdown = ''): string | undefined {
  if (fields === undefined) return isFrontMatterOpen(markdown) ? NO_END : NO_FRONT_MATTER
  const { name: said, description } = fields
  if (said !== name)
    return `its front matter has ${isText(said) ? `the name "${said}"` : 'no name'}: write name: ${name}`
  if (!isText(description)) return 'its front matter has no description: say what it is for and when to use it'
  if (description.length > MAX_DESCRIPTION) {
    return `its description has ${description.length} characters (max ${MAX_DESCRIPTION})`
  }
  return explainOthers(fields)
}

/** Whether hosts take a value as the front matter of an Agent Skill, whatever it is called. */
export function isAgentFrontMatter(value: unknown): boolean {
  return isRecord(value) && isText(value['name']) && explain(value, value['name']) === undefined
}

/** Hosts refuse a whole page of skills for one that has these otherwise. */
function explainOthers({ metadata, compatibility }: JsonObject): string | undefined {
  if (metadata !== undefined && !isRecord(metadata)) return 'its metadata is no mapping: write names and texts below it'
  const odd = Object.entries(metadata ?? {}).find(([, value]) => typeof value !== 'string')
  if (odd !== undefined) return `its metadata has no text as ${odd[0]}: quote the value`
  if (compatibility === undefined || isCompatibility(compatibility)) return undefined
  return `its compatibility is no text of 1 to ${MAX_COMPATIBILITY} characters`
}

function isCompatibility(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_COMPATIBILITY
}

interface Parts {
  id: string
  name: string
  fields: JsonObject
  /** The same, without types, and of front matter that has no fields. */
  written: FrontMatter
  rest: string
  outline: Outline
}

/** Front matter of so many letters is within every limit of what reads it, whatever letters they are. */
const SURELY_SMALL = 2_000

function render({
  id,
  name,
  fields,
  written,
  rest,
  outline,
}: Parts): Pick<Rendition, 'text' | 'frontmatter' | 'isRendered'> {
  const { name: said, description: own, metadata: stated, compatibility, ...further } = fields
  const others = isCompatibility(compatibility) ? { ...further, compatibility } : further
  const described = isText(own) ? own : toOneLine(written.description ?? '')
  const description = cut(described || outline.summary || outline.title || name)
  const metadata = {
    ...withTitle(toTexts(stated, written.metadata), { name, said, outline }),
    'iii-source': formatUri({ kind: 'skill', id }),
  }
  const candidates = [
    { name, description, ...others, metadata },
    // Fields that grew too large with what was added are left out.
    { name, description, metadata: { 'iii-source': metadata['iii-source'] } },
  ]
  const plain = toPlainYaml({ name, description, metadata })
  if (plain !== undefined && plain.length <= SURELY_SMALL && Object.keys(others).length === 0) {
    return { text: `---\n${plain}---\n${rest}`, frontmatter: { name, description, metadata }, isRendered: true }
  }
  for (const candidate of candidates) {
    const text = `---\n${toYaml(candidate)}---\n${rest}`
    const read = readAgentFrontMatter(text)
    if (read && 'fields' in read) return { text, frontmatter: read.fields, isRendered: true }
  }
  throw new Error(`no front matter can be made for the skill ${id}`)
}

/** The name that a text has for itself, where hosts take another one; else what lists show as its title, unless it says one. */
function withTitle(
  metadata: Record<string, string>,
  { name, said, outline }: Pick<Parts, 'name' | 'outline'> & { said: unknown },
): Record<string, string> {
  if (isText(said) && said !== name) return { ...metadata, title: said }
  const { title } = outline
  return title === undefined || title === name ? metadata : { title, ...metadata }
}

/** Metadata has texts alone; a number is one as it was written. */
function toTexts(stated: unknown, written: FrontMatter['metadata']): Record<string, string> {
  const entries = isRecord(stated) ? Object.entries(stated) : []
  return Object.fromEntries(entries.map(([key, value]) => [key, toMetadataText(value, written[key])]))
}

function toMetadataText(value: unknown, written: unknown): string {
  if (typeof value === 'string') return value
  return typeof written === 'string' ? written : JSON.stringify(value)
}

/** Texts that readers of YAML 1.1 take for something else are quoted. */
export const YAML = { version: '1.2', compat: 'yaml-1.1', lineWidth: 0 } as const

/** What not every reader takes is an escape in quotes. */
function toYaml(fields: JsonObject): string {
  const yaml = stringify(fields, YAML)
  if (!ODD_CHARACTERS.test(yaml)) return yaml
  const quoted = stringify(fields, {
    ...YAML,
    defaultStringType: 'QUOTE_DOUBLE',
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
  })
  return quoted.replace(new RegExp(ODD_CHARACTERS, 'gu'), toEscape)
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function toRest(text: string): string {
  return text.startsWith('\n') || text.startsWith('\r') ? text : `\n${text}`
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function cut(text: string): string {
  if (text.length <= MAX_DESCRIPTION) return text
  return `${text.slice(0, MAX_DESCRIPTION - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** SHA-256 of a text in UTF-8 or of bytes, in hex. */
export function toSha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
