import { Fault, MAX_TIMEOUT_MS } from '@iii/protocol'
import { checkCronExpression, formatIssues, messageOf } from '@iii/sdk'
import { z } from 'zod'
import { explainDepth } from '../record/payload.ts'
import { isTaskId } from '../tasks/task.ts'

const MAX_TARGETS = 64
const MAX_CONCURRENCY = 32
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Whether a text may be the name of a job that an operator declares, or of a lock. */
export function isJobName(text: string): boolean {
  return NAME.test(text)
}

const name = z
  .string()
  .regex(NAME, 'must be letters, digits, ".", "_" and "-", at most 64, and begin with a letter or digit')
const target = z
  .string()
  .max(1024)
  .refine(isTaskId, 'must be the id of a function outside the internal namespaces, and none of runs::…')

/** A job as the operator writes it under `jobs:`. */
export const JobDeclaration = z.strictObject({
  description: z.string().max(1024).default(''),
  /** The functions that the job is about; what they depend on runs before them. */
  targets: z.array(target).min(1).max(MAX_TARGETS),
  /** Where the payload of each task begins; what is written here nobody can change. */
  inputs: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  /** A JSON Schema of what may be given to the job. Without it, the job takes no input. */
  input: z.record(z.string(), z.unknown()).optional().superRefine(checkSchema),
  /** Checked here, so that no file that is changed under a running worker has a schedule that cannot be bound. */
  schedule: z.string().min(1).max(256).superRefine(checkSchedule).optional(),
  lock: name.default('default'),
  concurrency: z.int().min(1).max(MAX_CONCURRENCY).default(2),
  timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).default(300_000),
})
export type JobDeclaration = z.output<typeof JobDeclaration>

/** All of `jobs:`, by name. */
export const JobDeclarations = z.record(name, JobDeclaration)
export type JobDeclarations = z.output<typeof JobDeclarations>

function checkSchedule(schedule: string, context: z.RefinementCtx): void {
  const message = checkCronExpression(schedule)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
}

function checkSchema(schema: Record<string, unknown> | undefined, context: z.RefinementCtx): void {
  if (schema === undefined) return
  try {
    if (schema['type'] !== 'object') throw new Error('its type must be "object"')
    z.fromJSONSchema(schema)
  } catch (error) {
    const why = messageOf(error)
    context.addIssue({ code: 'custom', message: `must be a JSON Schema of an object: ${why}` })
  }
}

/**
 * Checks what somebody gave to a job against the schema that its operator wrote.
 *
 * @returns the input, with the defaults of the schema
 * @throws Fault `invalid_input` that names each field and its rule, and no value
 */
export function checkJobInput(
  job: string,
  schema: Record<string, unknown> | undefined,
  input: unknown,
): Record<string, unknown> {
  const deep = explainDepth(input)
  if (deep !== undefined) throw new Fault('invalid_input', `input: is ${deep}`)
  const shape = schema === undefined ? z.strictObject({}) : z.fromJSONSchema(schema)
  const parsed = shape.safeParse(input ?? {})
  if (parsed.success) return parsed.data as Record<string, unknown>
  const hint = schema === undefined ? ` (the job ${job} takes no input)` : ''
  throw new Fault('invalid_input', `${formatIssues(parsed.error.issues, 'input')}${hint}`)
}
