import { defineContract, type FunctionContract } from '@iii/protocol'
import { z } from 'zod'

/** How many entries did not fit; absent when none is missing. */
export const leftOut = z.int().positive().optional()

/** What somebody looks for by name: nothing is read, and nobody is shown it again, before it has this form. */
export const beginning = z
  .string()
  .max(1024)
  .refine((text) => !/\p{Cc}/u.test(text), 'must have no control characters')
/** Of a function, or of a job: functions may be jobs. */
export const givenName = beginning.min(1)

export const CURSOR_RULE = 'must be the cursor that a list has given'

/** The id of an inspection function, of its tool's title and of what it takes and gives. It executes nothing and writes nothing. */
export function defineInspection<I extends z.ZodType, O extends z.ZodType>(contract: {
  name: string
  title: string
  description: string
  request: I
  response: O
}): FunctionContract<I, O> {
  const { name, title, description, request, response } = contract
  return defineContract({
    id: `runs::${name}`,
    description,
    request,
    response,
    metadata: {
      experimental: true,
      // What is looked for may be a secret.
      'runs.record': 'none',
      'mcp.expose': true,
      'mcp.title': title,
      'mcp.annotations': { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
  })
}
