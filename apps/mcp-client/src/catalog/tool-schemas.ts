import { checkDepth, isRecord, type JsonObject } from '@iii/protocol'
import { explainFlaw, MAX_SCHEMA_BYTES, mendSchema } from '@iii/protocol/json-schema'

/** A schema as it is registered, or why it cannot be. */
export type SchemaReading = { readonly schema: JsonObject } | { readonly problem: string }

/** With those of the message around it the engine still reads it. */
const MAX_LEVELS = 100

/**
 * A schema of a tool as others are shown it: an object schema that the bridge can show to its clients as it is, with clean texts. What
 * the bridge could only show as one that takes any object is a problem here.
 */
export function readSchema(source: unknown): SchemaReading {
  if (!isRecord(source)) return { problem: 'is no object' }
  if (source['type'] !== 'object') return { problem: "has no type 'object' at its root" }
  const nesting = checkDepth(source, { maxDepth: MAX_LEVELS })
  if (nesting !== undefined) return { problem: `is ${nesting}` }
  // What is to be mended is walked, which a large one is not worth.
  const bytes = Buffer.byteLength(JSON.stringify(source))
  if (bytes > MAX_SCHEMA_BYTES) return { problem: `has ${bytes} bytes, more than ${MAX_SCHEMA_BYTES}` }
  const mended = mendSchema(source)
  const flaw = explainFlaw(mended)
  return flaw === undefined ? { schema: mended.schema } : { problem: `cannot be shown: ${flaw}` }
}
