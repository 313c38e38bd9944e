import { isRecord, type JsonObject } from '@iii/protocol'
import {
  explainFlaw,
  findDialect,
  MAX_SCHEMA_BYTES,
  type MendedSchema,
  mendSchema,
  toLeanResult,
  toLeanSchema,
  toSchemaBytes,
} from '@iii/protocol/json-schema'
import { toFlatRoot } from './flat-root.ts'
import { type ParamHeader, readHeaders, writeHeaders } from './schema-headers.ts'
import { inlineReferences, isRecursive } from './schema-inliner.ts'

/** A schema as clients get it, and what was wrong with the one that was registered. */
export interface ServedSchema<T extends JsonObject | undefined> {
  readonly schema: T
  readonly problems: readonly string[]
}

/** A request schema, and which arguments its clients repeat in headers. */
export interface ServedInputSchema extends ServedSchema<JsonObject> {
  readonly headers: readonly ParamHeader[]
}

/** How a schema is served. */
export interface SchemaForm {
  /** In every schema what is referred to takes the place of references, also where the schema says that it is 2020-12. @default false */
  readonly inlineAll?: boolean
  /** Are response schemas served? @default true */
  readonly outputSchemas?: boolean
}

/**
 * Makes the request schema of a function one that MCP clients accept, changing as little as possible: the root is an object schema
 * with `properties`. What cannot be mended is served as one that takes any object.
 *
 * Many hosts drop the whole list of tools for one schema that they cannot read.
 */
export function toInputSchema(source: unknown, form: SchemaForm = {}, toolName?: string): ServedInputSchema {
  if (source === undefined || source === null || source === true) return refused()
  if (!isRecord(source)) return refused('must be a JSON Schema')
  const mended = mendSchema(source)
  const problem = explainFlaw(mended)
  if (problem !== undefined) return refused(problem)
  const isKept = isExact(mended, form) && !isEndless(mended)
  const schema = toInput(isKept ? mended.schema : toLeanSchema(toFlatRoot(toInlined(mended)), toolName))
  if (schema === undefined) return refused("its root must have the type 'object'")
  const { headers, problems } = readHeaders(source)
  return { schema, headers: writeHeaders(schema, headers), problems: [...mended.problems, ...problems] }
}

/**
 * The response schema, where its root is an object: other roots are refused by clients of the older revisions. What cannot be mended
 * is not served: clients hold the results of a function against it.
 */
export function toOutputSchema(
  source: unknown,
  form: SchemaForm = {},
  toolName?: string,
): ServedSchema<JsonObject | undefined> {
  if (form.outputSchemas === false) return { schema: undefined, problems: [] }
  if (source !== undefined && source !== null && typeof source !== 'boolean' && !isRecord(source)) {
    return { schema: undefined, problems: ['must be a JSON Schema'] }
  }
  if (!isRecord(source)) return { schema: undefined, problems: [] }
  const mended = mendSchema(source, true)
  const isServed = source['type'] === 'object' || (source['type'] === undefined && '$ref' in source)
  const problem = isServed ? explainFlaw(mended) : undefined
  if (problem !== undefined) return { schema: undefined, problems: [problem] }
  const schema = isExact(mended, form) ? mended.schema : toLeanResult(toInlined(mended), toolName)
  return schema['type'] === 'object' ? { schema, problems: mended.problems } : { schema: undefined, problems: [] }
}

function toInput(schema: JsonObject): JsonObject | undefined {
  const { type, properties } = schema
  if (type !== undefined && ![type].flat().includes('object')) return undefined
  return { ...schema, type: 'object', properties: isRecord(properties) ? properties : {} }
}

/** Whoever names the newest dialect means what it says; its references and all it composes stay. Many name it and use nothing of it. */
function isExact({ schema, references }: MendedSchema, { inlineAll = false }: SchemaForm): boolean {
  if (inlineAll || findDialect(schema['$schema'])?.hasItemLists !== false) return false
  return references.length > 0 || COMPOSING.some((key) => key in schema)
}

/** What makes classes or functions of tools follows a part that contains itself for ever, and loses the whole list. */
function isEndless({ schema, references, anchors }: MendedSchema): boolean {
  return references.length > 0 && isRecursive(schema, anchors)
}

const COMPOSING = ['$defs', 'definitions', 'allOf', 'anyOf', 'oneOf', 'not', 'if']

/** With what is referred to in the place of references, unless that would be too much. */
function toInlined({ schema, references, anchors }: MendedSchema): JsonObject {
  if (references.length === 0) return schema
  const inlined = inlineReferences(schema, anchors, OLD_DRAFT.test(String(schema['$schema'])))
  return inlined !== undefined && toSchemaBytes(inlined) <= MAX_SCHEMA_BYTES ? inlined : schema
}

/** The drafts in which nothing counts that stands beside a reference. */
const OLD_DRAFT = /draft-0[67]/

function refused(...problems: string[]): ServedInputSchema {
  return { schema: { type: 'object', properties: {} }, headers: [], problems }
}
