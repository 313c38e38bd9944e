import { Fault } from '@iii/protocol'
import { type Issue, isZod3, isZod4, type JsonSchema, type ZodSchema } from './json-schema.ts'

/** Checks a payload and answers what the handler gets: the parsed value, now or as a promise. */
export type Validator = (payload: unknown) => unknown

type Parsed = { success: true; data: unknown } | { success: false; error: { issues: readonly Issue[] } }

const MAX_ISSUES_TOLD = 5

/**
 * A validator for a zod 4 or zod 3 type; undefined for a plain JSON Schema, which informs callers only.
 * It throws a Fault `invalid_input` that names field and rule: `amount: expected number, received string`.
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

/**
 * Says in one line what is wrong with a value, one `field: rule` per issue.
 *
 * @param name of the value, put before its fields; without it the value itself is called `payload`
 *
 * @example
 * formatIssues([{ path: ['items', 0, 'amount'], message: 'Invalid input: expected number, received string' }])
 * // 'items[0].amount: expected number, received string'
 */
export function formatIssues(issues: readonly Issue[], name = ''): string {
  const told = issues.slice(0, MAX_ISSUES_TOLD).map(({ path, message }) => {
    return `${formatPath(name, path) || 'payload'}: ${formatRule(message)}`
  })
  const more = issues.length - told.length
  return more > 0 ? `${told.join('; ')}; and ${more} more` : told.join('; ')
}

function formatPath(name: string, path: readonly PropertyKey[]): string {
  let text = name
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += text === '' ? String(key) : `.${String(key)}`
  }
  return text
}

function formatRule(message: string): string {
  const rule = message.replace(/^Invalid input: /, '')
  return rule.charAt(0).toLowerCase() + rule.slice(1)
}
