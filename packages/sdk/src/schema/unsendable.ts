import { formatPath } from './issue-text.ts'
import { isZod4, type ZodSchema } from './json-schema.ts'

/** What no JSON is, by the names of both versions of zod, and what takes it from a caller. */
const UNSENDABLE: Readonly<Record<string, { held: string; zod4: string; zod3: string }>> = {
  date: { held: 'a Date', zod4: 'z.iso.datetime() takes its text', zod3: 'z.string().datetime() takes its text' },
  bigint: { held: 'a bigint', zod4: 'z.int() takes a number', zod3: 'z.number().int() takes a number' },
  map: { held: 'a Map', zod4: 'z.record() takes an object', zod3: 'z.record() takes an object' },
  set: { held: 'a Set', zod4: 'z.array() takes a list', zod3: 'z.array() takes a list' },
  file: { held: 'a File', zod4: 'z.base64() takes its bytes', zod3: '' },
}

/** What is told of a type by either version. Each kind has some of them. */
interface Definition {
  type?: unknown
  typeName?: string
  coerce?: boolean
  shape?: Shape | (() => Shape)
  items?: readonly ZodSchema[] | null
  options?: Iterable<ZodSchema>
  element?: ZodSchema
  innerType?: ZodSchema
  valueType?: ZodSchema
  left?: ZodSchema
  right?: ZodSchema
  in?: ZodSchema
  schema?: ZodSchema
  effect?: { type?: unknown }
  getter?: () => ZodSchema
}

type Shape = Readonly<Record<string, ZodSchema>>
type Part = readonly [type: unknown, ...key: PropertyKey[]]
type ListParts = (definition: Definition) => readonly Part[]

const inner: ListParts = ({ innerType }) => [[innerType]]
const first: ListParts = ({ in: first }) => [[first]]

/** The types that a value of such a kind has to fit, each with where in the value. A kind that is not here may take anything. */
const PARTS: Readonly<Record<string, ListParts>> = {
  object: ({ shape = {} }) =>
    Object.entries(typeof shape === 'function' ? shape() : shape).map(([key, type]) => [type, key]),
  array: ({ element, type }) => [[element ?? type, 0]],
  tuple: ({ items }) => (items ?? []).map((item, index) => [item, index]),
  record: ({ valueType }) => [[valueType, '*']],
  intersection: ({ left, right }) => [[left], [right]],
  lazy: ({ getter }) => [[getter?.()]],
  effects: ({ schema, effect }) => (effect?.type === 'preprocess' ? [] : [[schema]]),
  branded: ({ type }) => [[type]],
  pipe: first,
  pipeline: first,
  optional: inner,
  nonoptional: inner,
  nullable: inner,
  readonly: inner,
}

/**
 * Finds in a type what a call would have to bring and none can, since calls come as JSON. What has a default or is prepared, and forms of
 * which another one may do, are left alone.
 *
 * @returns what it is and what would do: `a Date at since, which no JSON is: z.iso.datetime() takes its text`
 */
export function findUnsendable(schema: ZodSchema): string | undefined {
  const found = search(schema, new Map())
  return found && `${found.held}${formatPlace(found.path)}, which no JSON is: ${found.instead}`
}

type Path = readonly PropertyKey[]

interface Unsendable {
  readonly held: string
  readonly instead: string
  /** Where in the type. */
  readonly path: Path
}

/** @param known what was found in types that were met before: the same one may stand in many places, and some lead into themselves */
function search(schema: ZodSchema, known: Map<ZodSchema, Unsendable | undefined>): Unsendable | undefined {
  if (known.has(schema)) return known.get(schema)
  known.set(schema, undefined)
  const found = look(schema, (part) => search(part, known))
  known.set(schema, found)
  return found
}

function look(schema: ZodSchema, searchPart: (part: ZodSchema) => Unsendable | undefined): Unsendable | undefined {
  const definition = (isZod4(schema) ? schema._zod.def : schema._def) as Definition
  const kind = toKind(definition)
  const lost = UNSENDABLE[kind]
  if (lost !== undefined && definition.coerce !== true) {
    return { held: lost.held, instead: isZod4(schema) ? lost.zod4 : lost.zod3, path: [] }
  }
  if (kind.endsWith('union')) {
    const forms = [...(definition.options ?? [])].map(searchPart)
    return forms.includes(undefined) ? undefined : forms[0]
  }
  const parts = PARTS[kind]?.(definition) ?? []
  const all = parts.map(([type, ...key]) => ({ key, found: searchPart(type as ZodSchema) }))
  return all.flatMap(({ key, found }) => (found === undefined ? [] : { ...found, path: [...key, ...found.path] }))[0]
}

function formatPlace(path: Path): string {
  return path.length === 0 ? '' : ` at ${formatPath('', path)}`
}

function toKind({ type, typeName }: Definition): string {
  return typeName?.replace(/^Zod/, '').toLowerCase() ?? String(type)
}
