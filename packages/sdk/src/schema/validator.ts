import { Fault } from '@iii/protocol'
import { formatIssues } from './issue-text.ts'
import { type Issue, isZod3, isZod4, type JsonSchema, type ZodSchema } from './json-schema.ts'

/** Checks a payload and answers what the handler gets: the parsed value, now or as a promise. */
export type Validator = (payload: unknown) => unknown

type Parsed = { success: true; data: unknown } | { success: false; error: { issues: readonly Issue[] } }

/**
 * A validator for a zod 4 or zod 3 type; undefined for a plain JSON Schema, which informs callers only.
 * It throws a Fault `invalid_input` that names field and rule: `amount: must be a number, not a string`.
 */
export function createValidator(schema: ZodSchema | JsonSchema | undefined): Validator | undefined {
  if (schema === undefined || !(isZod4(schema) || isZod3(schema))) return undefined
  let isAsync = false
  const parseAsync = async (payload: unknown) => accept(await schema.safeParseAsync(payload))
  return (payload) => {
    if (isAsync) return parseAsync(payload)
    let parsed: Parsed
    try {
      parsed = schema.safeParse(payload)
    } catch {
      // Only a schema with asynchronous refinements throws here.
      isAsync = true
      return parseAsync(payload)
    }
    return accept(parsed)
  }
}

function accept(parsed: Parsed): unknown {
  if (parsed.success) return parsed.data
  throw new Fault('invalid_input', formatIssues(parsed.error.issues))
}
