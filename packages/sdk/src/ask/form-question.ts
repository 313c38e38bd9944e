import { z } from 'zod'
import type { JsonSchema, OutputOf, Zod3Type, ZodSchema } from '../schema/json-schema.ts'
import { createFormCheck } from './form-check.ts'
import { toFormSchema } from './form-schema.ts'
import type { Question } from './question.ts'

/** What a filled-in form holds: typed by a zod object, else texts, numbers, true or false, and lists of texts. */
export type FormContent<S> = S extends ZodSchema ? OutputOf<S> : Record<string, string | number | boolean | string[]>

/** What is filled in, before a schema makes anything of it. */
type FilledIn<S> = S extends z.ZodType ? z.input<S> : S extends Zod3Type<unknown, infer Input> ? Input : unknown
type Field = string | number | boolean | readonly string[] | undefined
/** The names of fields that no form has; what a schema does not tell of a field may be one. */
type Nested<T> = {
  [Name in keyof T]-?: string extends Name
    ? never
    : unknown extends T[Name]
      ? never
      : T[Name] extends Field
        ? never
        : Name
}[keyof T]

/** Anything, for a schema whose fields are flat; else what the compiler shows with their names. */
export type FlatFields<S> = [Nested<FilledIn<S>>] extends [never]
  ? unknown
  : { 'a form has texts, numbers, true or false, and choices; ask for these one by one': Nested<FilledIn<S>> }

/** MCP `ElicitResult`. */
const Elicited = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), content: z.unknown() }),
  z.object({ action: z.enum(['decline', 'cancel']) }),
])

/** @throws Fault `internal` for a schema that no form can show. */
export function toFormQuestion<S extends ZodSchema | JsonSchema>(message: string, schema: S): Question<FormContent<S>> {
  const requestedSchema = toFormSchema(schema)
  const check = createFormCheck(schema, requestedSchema)
  return {
    kind: 'form',
    method: 'elicitation/create',
    params: { message, requestedSchema },
    label: `the question "${message}"`,
    capability: 'elicitation',
    isDeclared: ({ elicitation }) => takesForms(elicitation),
    repeat: (problem) => ({ message: `${message}\n\nThe last answer does not fit: ${problem}`, requestedSchema }),
    async read(answer) {
      const elicited = Elicited.safeParse(answer)
      if (!elicited.success) return { problem: 'it is no answer to a form' }
      const { data } = elicited
      if (data.action !== 'accept') return { answer: { action: data.action } }
      const checked = await check(data.content ?? {})
      if ('problem' in checked) return checked
      return { answer: { action: 'accept', content: checked.content as FormContent<S>, asked: true } }
    },
  }
}

/** A client that names no mode has the form; one that names modes has those. */
function takesForms(elicitation: unknown): boolean {
  if (typeof elicitation !== 'object' || elicitation === null) return false
  return 'form' in elicitation || !('url' in elicitation)
}
