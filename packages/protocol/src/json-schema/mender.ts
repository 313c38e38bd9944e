import { isRecord, type JsonObject } from '../json.ts'
import { toVisible } from '../visible-text.ts'
import { toConsistent } from './consistency.ts'
import { commonPattern, exactStep, FORMATS, names, positive, RULES, type Rule, text } from './rules.ts'

/** A schema that clients can read, and what of the one that was given they could not. */
export interface MendedSchema {
  readonly schema: JsonObject
  /** `properties.sku.required must be a list of strings`; empty when nothing was wrong. */
  readonly problems: readonly string[]
  /** The root counted; from {@link MAX_SUBSCHEMAS} on they were not looked at. */
  readonly subschemas: number
  /** Keywords and named or listed schemas, wrong ones too; from {@link MAX_MEMBERS} on they were not looked at. */
  readonly members: number
  /** What `$ref` and its like say. */
  readonly references: readonly string[]
  /** Subschemas with a name of their own, which a reference may use. */
  readonly anchors: ReadonlyMap<string, JsonObject>
}

export const MAX_SUBSCHEMAS = 1_000
export const MAX_DEPTH = 32
/** More do not fit into the largest schema that is shown. */
export const MAX_MEMBERS = 16_384

interface Walk {
  readonly problems: string[]
  readonly references: string[]
  readonly anchors: Map<string, JsonObject>
  readonly isResult: boolean
  subschemas: number
  members: number
}

/** Where in a schema the walk is. */
interface Place {
  readonly path: string
  readonly depth: number
  /** What allowed more here could make the whole allow less. */
  readonly isExact?: boolean
}

/** Gives what clients can read of a keyword's value; undefined when it is left out. */
type Mend = (value: unknown, place: Place, walk: Walk) => unknown

/**
 * Leaves out what is wrong and keeps everything else as it is, but for what some hosts cannot read: booleans in place of schemas,
 * lists in `items`, arrays that say nothing of their items, addresses, invisible characters in titles and descriptions. What is left allows whatever
 * the whole allowed.
 *
 * @param isResult clients hold results against it, each with a validator of its own
 */
export function mendSchema(source: JsonObject, isResult = false): MendedSchema {
  const walk: Walk = { problems: [], references: [], anchors: new Map(), isResult, subschemas: 0, members: 0 }
  const schema = mend(source, { path: '', depth: 1 }, walk)
  return { ...walk, schema }
}

function mend(schema: unknown, place: Place, walk: Walk): JsonObject {
  if (schema === true) return {}
  if (schema === false) return { not: {} }
  if (!isRecord(schema)) return blank('must be a schema', place, walk)
  walk.subschemas += 1
  const entries = Object.entries(schema)
  if (entries.length === 0 || walk.subschemas > MAX_SUBSCHEMAS || isTooMuch(entries, walk)) return {}
  if (place.depth > MAX_DEPTH) return blank(`lies deeper than ${MAX_DEPTH} schemas`, place, walk)
  const before = walk.problems.length
  const broken = new Set<string>()
  const members = entries.flatMap(([key, value]) => {
    const known = walk.problems.length
    const mendMember = KEYWORDS.get(key) ?? own
    const kept = mendMember(value, { ...enter(place, key), depth: place.depth + 1 }, walk)
    if (walk.problems.length > known) broken.add(key)
    return kept === undefined ? [] : [[key, kept] as const]
  })
  const isWhole = walk.problems.length === before
  const out = toConsistent(Object.fromEntries(members), { ...walk, broken, isWhole, mayAllowMore: !place.isExact })
  for (const key of ['$anchor', '$dynamicAnchor']) nameAnchor(key, out, place, walk)
  return out
}

/** Millions of them would take seconds to mend, and would be refused after that. */
function isTooMuch({ length }: readonly unknown[], walk: Walk): boolean {
  walk.members += length
  return walk.members > MAX_MEMBERS
}

function nameAnchor(key: string, schema: JsonObject, place: Place, walk: Walk): void {
  const name = schema[key]
  if (typeof name !== 'string') return
  if (!walk.anchors.has(name)) return void walk.anchors.set(name, schema)
  delete schema[key]
  leaveOut('must be a name that nothing else in the schema has', enter(place, key), walk)
}

function blank(problem: string, place: Place, walk: Walk): JsonObject {
  leaveOut(problem, place, walk)
  return {}
}

function leaveOut(problem: string, { path }: Place, walk: Walk): undefined {
  walk.problems.push(`${path} ${problem}`)
}

function enter(place: Place, name: string): Place {
  const shown = name.slice(0, MAX_NAME_LENGTH)
  return { ...place, path: place.path === '' ? shown : `${place.path}.${shown}` }
}

const MAX_NAME_LENGTH = 64

/** Validators look for these everywhere but in data, and keep one register for all tools, where those of two functions would meet. */
const ADDRESS = /"\$(?:id|anchor|dynamicAnchor)":/

/** A keyword that is somebody's own. */
const own: Mend = (value) => (typeof value === 'object' && ADDRESS.test(JSON.stringify(value)) ? undefined : value)

const asIs: Mend = (value) => value

const nothing: Mend = () => undefined

const legible = checked(commonPattern)

const countable: Mend = (value, place, walk) => checked(walk.isResult ? exactStep : positive)(value, place, walk)

function checked(rule: Rule): Mend {
  return (value, place, walk) => (rule.isMet(value) ? value : leaveOut(rule.text, place, walk))
}

const visible: Mend = (value, place, walk) =>
  typeof value === 'string' ? toVisible(value) : leaveOut(text.text, place, walk)

const reference: Mend = (value, place, walk) => {
  if (typeof value !== 'string') return leaveOut(text.text, place, walk)
  walk.references.push(value)
  return value
}

const list: Mend = (value, place, walk) => {
  if (!Array.isArray(value) || value.length === 0) return leaveOut('must be a list of schemas', place, walk)
  if (isTooMuch(value, walk)) return undefined
  return value.map((entry, index) => mend(entry, enter(place, String(index)), walk))
}

const oneOrList: Mend = (value, place, walk) => (Array.isArray(value) ? list : mend)(value, place, walk)

const oneOrBoolean: Mend = (value, place, walk) => (typeof value === 'boolean' ? value : mend(value, place, walk))

const oneOrNames: Mend = (value, place, walk) => (names.isMet(value) ? value : mend(value, place, walk))

/** To whoever does not know it a format says nothing, so nothing is lost. */
const known: Mend = (value, place, walk) =>
  walk.isResult && typeof value === 'string' && !FORMATS.has(value) ? undefined : checked(text)(value, place, walk)

/** @param name what is left of a name; with undefined its entry is left out */
function byName(entry: Mend, name: Mend = asIs): Mend {
  return (value, place, walk) => {
    if (!isRecord(value)) return leaveOut('must be an object with schemas', place, walk)
    const entries = Object.entries(value)
    if (isTooMuch(entries, walk)) return undefined
    const members = entries.map(([key, item]) => {
      const at = enter(place, key)
      return [key, name(key, at, walk) === undefined ? undefined : entry(item, at, walk)] as const
    })
    // From entries, because a property may be called `__proto__`.
    return Object.fromEntries(members.filter(([, item]) => item !== undefined))
  }
}

/** Less than the whole of it would refuse what the whole allows. */
function whole(inner: Mend): Mend {
  return (value, place, walk) => {
    const before = walk.problems.length
    const mended = exact(inner)(value, place, walk)
    return walk.problems.length > before ? undefined : mended
  }
}

/** Also of what is referred to from anywhere. */
function exact(inner: Mend): Mend {
  return (value, place, walk) => inner(value, { ...place, isExact: true }, walk)
}

const KEYWORDS: ReadonlyMap<string, Mend> = new Map([
  ...Object.entries(RULES).map(([key, rule]) => [key, checked(rule)] as const),
  ...all(['pattern'], legible),
  ...all(['multipleOf'], countable),
  ...all(['format'], known),
  ...all(['const', 'default'], asIs),
  ...all(['title', 'description', '$comment'], visible),
  ...all(['$ref', '$dynamicRef', '$recursiveRef'], reference),
  ...all(['then', 'else', 'propertyNames', 'contentSchema'], mend),
  ...all(['not', 'if', 'contains'], whole(mend)),
  ...all(['allOf', 'anyOf', 'prefixItems'], list),
  ...all(['oneOf'], whole(list)),
  ...all(['items'], oneOrList),
  ...all(['additionalProperties', 'additionalItems', 'unevaluatedProperties', 'unevaluatedItems'], oneOrBoolean),
  ...all(['properties', 'dependentSchemas'], byName(mend)),
  ...all(['$defs', 'definitions'], exact(byName(mend))),
  ...all(['patternProperties'], byName(mend, legible)),
  ...all(['dependencies'], byName(oneOrNames)),
  // What one validator alone understands; and what only the properties of the root may have: it is written back to them.
  ...all(['$id', 'id', '$vocabulary', '$async', 'x-mcp-header'], nothing),
])

/** What is read beside those by some, and says nothing about what is valid. */
const NOTES: readonly string[] = ['examples', 'example', 'discriminator', 'externalDocs', 'xml']

/** Whether a key of a schema is one that some dialect gives a meaning to, or of those that anybody may add: `x-…` and `$…`. */
export function isKeyword(key: string): boolean {
  return KEYWORDS.has(key) || NOTES.includes(key) || /^(?:x-|\$)/.test(key)
}

function all(keys: readonly string[], mendMember: Mend): (readonly [string, Mend])[] {
  return keys.map((key) => [key, mendMember])
}
