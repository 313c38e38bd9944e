import type { JsonObject } from '../json.ts'
import { utf8Length } from '../utf8.ts'
import { MAX_MEMBERS, MAX_SUBSCHEMAS, type MendedSchema } from './mender.ts'
import { explainReferences } from './references.ts'

/** The largest schema that clients are shown, in bytes of JSON. */
export const MAX_SCHEMA_BYTES = 65_536

/**
 * Says what no mending helps against: a schema that is too large to be shown, or whose references a client could not follow.
 *
 * @returns undefined when it can be shown
 */
export function explainFlaw({ schema, subschemas, members, references, anchors }: MendedSchema): string | undefined {
  if (subschemas > MAX_SUBSCHEMAS) return `it has more than ${MAX_SUBSCHEMAS} subschemas`
  if (members > MAX_MEMBERS) return `it has more than ${MAX_MEMBERS} keywords and names`
  const bytes = toSchemaBytes(schema)
  if (bytes > MAX_SCHEMA_BYTES) return `it has ${bytes} bytes, more than ${MAX_SCHEMA_BYTES}`
  return explainReferences(schema, references, anchors)
}

export function toSchemaBytes(schema: JsonObject): number {
  return utf8Length(JSON.stringify(schema))
}
