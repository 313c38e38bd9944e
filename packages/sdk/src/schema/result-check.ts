import { toResultData } from '@iii/protocol'
import { z } from 'zod'
import { formatIssues } from './issue-text.ts'
import type { JsonSchema } from './json-schema.ts'

/** Looks at a result in the message that takes it to its caller. Answers what breaks its schema, once. */
export type ResultCheck = (message: string) => string | undefined

/** Results that come faster are not looked at: it is for authors, and no call pays for it. */
const PACE_MS = 100
const MAX_CHARACTERS = 64 * 1024

/** @param schema as it was registered, which is what clients hold a result against. */
export function createResultCheck(schema: JsonSchema, now: () => number = () => performance.now()): ResultCheck {
  let type: z.ZodType | undefined
  let isDone = false
  let nextAt = Number.NEGATIVE_INFINITY

  return (message) => {
    if (isDone || message.length > MAX_CHARACTERS || now() < nextAt) return undefined
    nextAt = now() + PACE_MS
    const { result = null } = JSON.parse(message) as { result?: unknown }
    const owed = toResultData(result)
    if (owed === undefined) return undefined
    type ??= toType(schema)
    const { error } = type.safeParse(owed.data)
    if (error === undefined) return undefined
    isDone = true
    return formatIssues(error.issues, 'result')
  }
}

/** Anything will do for a schema that zod does not know. */
function toType(schema: JsonSchema): z.ZodType {
  try {
    return z.fromJSONSchema(withoutFormats(schema))
  } catch {
    return z.unknown()
  }
}

/** A format informs; what zod makes of it is stricter than what others do. */
function withoutFormats(schema: JsonSchema): Parameters<typeof z.fromJSONSchema>[0] {
  const text = JSON.stringify(schema, (key, value) =>
    key === 'format' && typeof value === 'string' ? undefined : value,
  )
  return JSON.parse(text)
}
