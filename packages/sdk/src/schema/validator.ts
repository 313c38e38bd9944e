import { Fault } from '@iii/protocol'
import { isAsynchronous } from './asynchronous.ts'
import { formatIssues } from './issue-text.ts'
import { type Issue, isZod3, isZod4, type JsonSchema, type UnknownKeys, type ZodSchema } from './json-schema.ts'
import { formatUnknownKeys } from './unknown-key-text.ts'
import { createUnknownKeyFinder, type UnknownKey } from './unknown-keys.ts'

/** Checks a payload and answers what the handler gets: the parsed value, now or as a promise. */
export type Validator = (payload: unknown) => unknown

type Parsed = { success: true; data: unknown } | { success: false; error: { issues: readonly Issue[] } }

/**
 * A validator for a zod 4 or zod 3 type; undefined for a plain JSON Schema, which informs callers only.
 * It throws a Fault `invalid_input` that names field and rule: `amount: must be a number, not a string`, and after them each key that
 * the schema does not have, unless those are ignored: `month: is unknown; it takes since, until`.
 */
export function createValidator(
  schema: ZodSchema | JsonSchema | undefined,
  unknownKeys: UnknownKeys,
): Validator | undefined {
  if (schema === undefined || !(isZod4(schema) || isZod3(schema))) return undefined
  const findUnknown = unknownKeys === 'refuse' ? createUnknownKeyFinder(schema) : () => []
  // At once, so that calls begin in the order in which they came, and at a fraction of the cost.
  if (!isAsynchronous(schema)) return (payload) => accept(schema.safeParse(payload), findUnknown(payload))
  // `safeParse` lets go of the promise of an asynchronous refinement, and a rejection of that would end the process.
  return async (payload) => accept(await schema.safeParseAsync(payload), findUnknown(payload))
}

function accept(parsed: Parsed, unknown: readonly UnknownKey[]): unknown {
  if (parsed.success && unknown.length === 0) return parsed.data
  const issues = parsed.success ? [] : parsed.error.issues.filter((issue) => !isToldBy(unknown, issue))
  throw new Fault('invalid_input', [formatIssues(issues), formatUnknownKeys(unknown)].filter(Boolean).join('; '))
}

/** A strict object says of its unknown keys less than we do. */
function isToldBy(unknown: readonly UnknownKey[], issue: Issue & { code?: unknown }): boolean {
  return issue.code === 'unrecognized_keys' && unknown.some(({ path }) => path.join('\0') === issue.path.join('\0'))
}
