import { isRecord, type JsonObject } from '@iii/protocol'

/** An argument that a 2026-07-28 client repeats in the header `Mcp-Param-NAME`, so that proxies can route by it. */
export interface ParamHeader {
  readonly name: string
  /** The property, and those around it. */
  readonly path: readonly string[]
}

const KEY = 'x-mcp-header'
/** RFC 9110, `token`. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** MCP allows no others, not even `number`: a float has more than one spelling. */
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean']
const MAX_HEADERS = 32
const MAX_DEPTH = 32

/** The headers that a request schema asks for, and those that clients would refuse the tool for. */
export interface SchemaHeaders {
  readonly headers: readonly ParamHeader[]
  readonly problems: readonly string[]
}

/** @param schema as it was registered */
export function readHeaders(schema: JsonObject): SchemaHeaders {
  const headers: ParamHeader[] = []
  const problems: string[] = []
  const taken = new Set<string>()

  function read(property: JsonObject, path: readonly string[]): void {
    const name = property[KEY]
    const problem = explain(name, property['type'], taken)
    if (problem !== undefined) return void problems.push(`${path.join('.').slice(0, 128)}.${KEY} ${problem}`)
    taken.add(String(name).toLowerCase())
    headers.push({ name: String(name), path })
  }

  function walk({ properties }: JsonObject, path: readonly string[]): void {
    if (!isRecord(properties) || path.length >= MAX_DEPTH) return
    for (const [key, property] of Object.entries(properties)) {
      if (!isRecord(property)) continue
      if (KEY in property) read(property, [...path, key])
      walk(property, [...path, key])
    }
  }

  walk(schema, [])
  return { headers, problems }
}

function explain(name: unknown, type: unknown, taken: ReadonlySet<string>): string | undefined {
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'must be the name of a header, without spaces'
  if (!TYPES.includes(type)) return 'must be on a string, an integer or a boolean'
  if (taken.has(name.toLowerCase())) return 'must be a name that no other property has'
  return taken.size < MAX_HEADERS ? undefined : `must not be on more than ${MAX_HEADERS} properties`
}

/**
 * Writes headers into a schema that was mended meanwhile, where it still has their properties.
 *
 * @returns those that it has; the schema is changed
 */
export function writeHeaders(schema: JsonObject, headers: readonly ParamHeader[]): ParamHeader[] {
  return headers.filter(({ name, path }) => {
    let at: unknown = schema
    for (const key of path) {
      const properties = isRecord(at) ? at['properties'] : undefined
      at = isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
    }
    if (!isRecord(at) || !TYPES.includes(at['type'])) return false
    at[KEY] = name
    return true
  })
}
