import { Fault } from './fault.ts'
import { checkSkillPath } from './ids.ts'
import { isRecord } from './json.ts'

/** What an `iii://` address stands for: the index of all skills, a stored skill, or a section that a function renders when it is read. */
export type ResourceUri = { readonly kind: 'index' } | { readonly kind: 'skill'; readonly id: string } | Section

/** A section of a function, in another namespace of the engine where that is named. */
interface Section {
  readonly kind: 'section'
  readonly functionId: string
  readonly namespace?: string | undefined
}

/** The address of the index of every registered skill. */
export const INDEX_URI = 'iii://skills'
/** The longest address that is looked at, in UTF-16 units. */
export const MAX_URI_LENGTH = 1100

/**
 * Reads an `iii://` address. The grammar holds on the raw text: nothing is trimmed, decoded or resolved, so that each address has
 * one spelling and none can smuggle another one in.
 *
 * - `iii://skills` is the index
 * - `iii://fn/{a}/{b}/…` is the section that the function `a::b::…` renders; a segment is `[A-Za-z0-9_-]+`
 * - `iii://fn/@{namespace}/{a}/{b}/…` is that of a function in another namespace of the engine
 * - `iii://{id}` is the skill with that id, of any number of segments
 *
 * @returns undefined for everything else; {@link explainUri} says why.
 *
 * @example
 * parseUri('iii://orders/refunds') // { kind: 'skill', id: 'orders/refunds' }
 * parseUri('iii://fn/orders/report') // { kind: 'section', functionId: 'orders::report' }
 */
export function parseUri(text: string): ResourceUri | undefined {
  const read = readUri(text)
  return typeof read === 'string' ? undefined : read
}

/**
 * Writes an address; the inverse of {@link parseUri}. The id of a skill is taken as it is stored.
 *
 * @throws Fault `invalid_input` for a section whose function id has no address: one with an empty segment or with anything but
 *   ASCII letters, digits, `-` and `_` between its `::`; and for what is no address, such as the undefined of {@link parseUri}.
 *
 * @example
 * formatUri({ kind: 'section', functionId: 'orders::report' }) // 'iii://fn/orders/report'
 */
export function formatUri(uri: ResourceUri): string {
  if (!isAddress(uri)) throw new Fault('invalid_input', addressRule)
  if (uri.kind === 'index') return INDEX_URI
  if (uri.kind === 'skill') return `${scheme}${uri.id}`
  const { namespace } = uri
  const segments = uri.functionId.split('::')
  const bad = segments.find((segment) => !sectionSegment.test(segment))
  const place = namespace === undefined ? '' : `${namespaceMark}${namespace}/`
  if (bad === undefined && isPlain(namespace)) return `${scheme}fn/${place}${segments.join('/')}`
  const shown = uri.functionId.slice(0, MAX_URI_LENGTH).toWellFormed()
  throw new Fault('invalid_input', `Function '${shown}' has no section URI: ${segmentRule}: "${clean(bad ?? place)}"`)
}

const addressRule =
  "formatUri takes { kind: 'index' }, { kind: 'skill', id } or { kind: 'section', functionId }, which parseUri gives for an address. For a text that is none it gives undefined, and explainUri says why"

function isAddress(uri: unknown): boolean {
  if (!isRecord(uri)) return false
  const { kind, id, functionId } = uri
  if (kind === 'section') return typeof functionId === 'string'
  return kind === 'index' || (kind === 'skill' && typeof id === 'string')
}

/**
 * Says why a text is no `iii://` address and what would be right.
 *
 * @returns undefined when {@link parseUri} accepts the text.
 *
 * @example
 * explainUri('https://x') // 'Resource URI must start with iii://: https://x'
 */
export function explainUri(text: string): string | undefined {
  const read = readUri(text)
  return typeof read === 'string' ? read : undefined
}

/**
 * Reads an address that has to be right.
 *
 * @throws Fault `invalid_input` with the text of {@link explainUri}.
 *
 * @example
 * requireUri('iii://skills') // { kind: 'index' }
 */
export function requireUri(text: string): ResourceUri {
  const read = readUri(text)
  if (typeof read === 'string') throw new Fault('invalid_input', read)
  return read
}

const scheme = 'iii://'
/** Stands in no segment of an id. */
const namespaceMark = '@'
const sectionSegment = /^[A-Za-z0-9_-]+$/
const segmentRule = "segment may only contain ASCII letters, digits, '-' and '_'"

/** The address, or the text of its refusal. */
function readUri(text: string): ResourceUri | string {
  if (typeof text !== 'string') return 'Resource URI must be a string that starts with iii://'
  if (text.length > MAX_URI_LENGTH) return `Resource URI is too long (${text.length} characters; max ${MAX_URI_LENGTH})`
  const shown = text.toWellFormed()
  if (!text.startsWith(scheme)) return `Resource URI must start with iii://: ${shown}`
  if (text === INDEX_URI) return { kind: 'index' }
  const path = text.slice(scheme.length)
  if (path === '') return `Empty resource id: ${shown}`
  const segments = path.split('/')
  if (segments.includes('')) {
    return `Resource URI may not contain empty segments (no leading, trailing, or doubled '/'): ${shown}`
  }
  if (segments.some((segment) => segment.includes('::'))) return explainOldForm(segments, shown)
  if (segments[0] === 'fn') return readSection(segments.slice(1), shown)
  return checkSkillPath(path) ?? { kind: 'skill', id: path }
}

function readSection(segments: readonly string[], shown: string): ResourceUri | string {
  const [first = ''] = segments
  const namespace = first.startsWith(namespaceMark) ? first.slice(1) : undefined
  if (namespace === undefined || !isPlain(namespace)) return readFunction(segments, shown)
  const read = readFunction(segments.slice(1), shown)
  return typeof read === 'string' ? read : { ...read, namespace }
}

function readFunction(segments: readonly string[], shown: string): Section | string {
  if (segments.length === 0) {
    return `Section URI 'iii://fn' is missing a function path: expected iii://fn/{a}/{b}/...: ${shown}`
  }
  const bad = segments.find((segment) => !sectionSegment.test(segment))
  if (bad === undefined) return { kind: 'section', functionId: segments.join('::') }
  return `invalid section URI segment "${clean(bad)}": ${segmentRule}: "${clean(bad)}"`
}

function isPlain(namespace: string | undefined): boolean {
  return namespace === undefined || sectionSegment.test(namespace)
}

/** 0.1 wrote sections as `iii://anything/worker::function`; 0.2 has one spelling, with `fn` and slashes. */
function explainOldForm(segments: readonly string[], shown: string): string {
  const old = segments[0] === 'fn' ? segments.slice(1) : segments.slice(segments.findIndex((s) => s.includes('::')))
  const today = old.flatMap((segment) => segment.split('::'))
  const advice = today.every((segment) => sectionSegment.test(segment))
    ? `write ${scheme}fn/${today.join('/')}`
    : `write ${scheme}fn/{a}/{b}/... for the function a::b::...`
  return `Resource URI may not contain '::' (the section form of 0.1); ${advice}: ${shown}`
}

function clean(segment: string): string {
  return segment.slice(0, MAX_URI_LENGTH).toWellFormed()
}
