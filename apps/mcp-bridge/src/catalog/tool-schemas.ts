import { isObject, type JsonObject } from '../rpc.ts'
import { MAX_SUBSCHEMAS, type MendedSchema, mendSchema } from './schema-mender.ts'
import { explainReferences } from './schema-references.ts'

/** A schema as clients get it, and what was wrong with the one that was registered. */
export interface ServedSchema<T extends JsonObject | undefined> {
  readonly schema: T
  readonly problems: readonly string[]
}

/** The largest schema that is served, in bytes of JSON. */
const MAX_BYTES = 65_536

/**
 * Makes the request schema of a function one that MCP clients accept, changing as little as possible: the root is an object schema
 * with `properties`. What cannot be mended is served as one that takes any object.
 *
 * Many hosts drop the whole list of tools for one schema that they cannot read.
 */
export function toInputSchema(source: unknown): ServedSchema<JsonObject> {
  if (source === undefined || source === null || source === true) return refused()
  if (!isObject(source)) return refused('must be a JSON Schema')
  const mended = mendSchema(source)
  const { type, properties } = mended.schema
  if (type !== undefined && ![type].flat().includes('object')) return refused("its root must have the type 'object'")
  const schema = { ...mended.schema, type: 'object', properties: isObject(properties) ? properties : {} }
  const problem = explain(schema, mended)
  return problem === undefined ? { schema, problems: mended.problems } : refused(problem)
}

/**
 * The response schema, where its root is an object: other roots are refused by clients of the older revisions. What cannot be mended
 * is not served: clients hold the results of a function against it.
 */
export function toOutputSchema(source: unknown): ServedSchema<JsonObject | undefined> {
  if (source !== undefined && source !== null && typeof source !== 'boolean' && !isObject(source)) {
    return { schema: undefined, problems: ['must be a JSON Schema'] }
  }
  if (!isObject(source) || source['type'] !== 'object') return { schema: undefined, problems: [] }
  const mended = mendSchema(source)
  const problem = explain(mended.schema, mended)
  if (problem !== undefined) return { schema: undefined, problems: [problem] }
  return { schema: mended.schema, problems: mended.problems }
}

function refused(...problems: string[]): ServedSchema<JsonObject> {
  return { schema: { type: 'object', properties: {} }, problems }
}

/** Says what no mending helps against. */
function explain(schema: JsonObject, { subschemas, references, anchors }: MendedSchema): string | undefined {
  if (subschemas > MAX_SUBSCHEMAS) return `it has more than ${MAX_SUBSCHEMAS} subschemas`
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  if (bytes > MAX_BYTES) return `it has ${bytes} bytes, more than ${MAX_BYTES}`
  return explainReferences(schema, references, anchors)
}
