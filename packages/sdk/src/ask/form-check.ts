import { Fault } from '@iii/protocol'
import { z } from 'zod'
import { formatIssues } from '../schema/issue-text.ts'
import { type Issue, isZod3, isZod4, type JsonSchema, type ZodSchema } from '../schema/json-schema.ts'
import type { FormSchema } from './form-schema.ts'

/** Checks what was filled in: the content with its defaults, or what is wrong with it in words. */
export type FormCheck = (content: unknown) => Promise<{ content: unknown } | { problem: string }>

/** @throws Fault `internal` for a JSON Schema with a field that no form of MCP has. */
export function createFormCheck(schema: ZodSchema | JsonSchema, form: FormSchema): FormCheck {
  const type = isZod4(schema) || isZod3(schema) ? schema : toZod(form)
  return async (content) => {
    const parsed = await type.safeParseAsync(content)
    if (parsed.success) return { content: parsed.data }
    return { problem: formatIssues(parsed.error.issues as readonly Issue[]) }
  }
}

/** The zod type of a form, so that every answer is checked in one way. */
function toZod({ properties, required = [] }: FormSchema): z.ZodType {
  const fields = Object.entries(properties).map(([name, field]) => {
    const type = toZodField(name, field)
    if (field['default'] !== undefined) return [name, type.default(field['default'])] as const
    return [name, required.includes(name) ? type : type.optional()] as const
  })
  return z.object(Object.fromEntries(fields))
}

function toZodField(name: string, field: JsonSchema): z.ZodType {
  const { type, minimum, maximum, minItems, maxItems } = field
  if (type === 'boolean') return z.boolean()
  if (type === 'integer') return within(z.int(), minimum, maximum)
  if (type === 'number') return within(z.number(), minimum, maximum)
  if (type === 'string') return toZodText(field)
  const choice = type === 'array' ? toZodChoice(field['items']) : undefined
  if (choice === undefined) throw new Fault('internal', `The field "${name}" is none that a form of MCP can have`)
  return within(z.array(choice), minItems, maxItems)
}

function toZodText(field: JsonSchema): z.ZodType {
  const choice = toZodChoice(field)
  if (choice !== undefined) return choice
  const format = z.string().check(...(FORMATS.get(field['format']) ?? []))
  return within(format, field['minLength'], field['maxLength'])
}

const FORMATS: ReadonlyMap<unknown, readonly z.core.CheckFn<string>[]> = new Map([
  ['email', [matching(z.email())]],
  ['uri', [matching(z.url())]],
  ['date', [matching(z.iso.date())]],
  ['date-time', [matching(z.iso.datetime({ offset: true }))]],
])

function matching(type: z.ZodType): z.core.CheckFn<string> {
  return (context) => {
    const { error } = type.safeParse(context.value)
    for (const { message } of error?.issues ?? [])
      context.issues.push({ code: 'custom', message, input: context.value })
  }
}

function toZodChoice(field: unknown): z.ZodType | undefined {
  if (typeof field !== 'object' || field === null) return undefined
  const { enum: values, oneOf, anyOf } = field as JsonSchema
  const options: unknown = values ?? oneOf ?? anyOf
  if (!Array.isArray(options)) return undefined
  return z.enum(options.map((option: unknown) => (typeof option === 'string' ? option : String(toConst(option)))))
}

function toConst(option: unknown): unknown {
  return typeof option === 'object' && option !== null && 'const' in option ? option.const : option
}

interface Limited {
  min(limit: number): this
  max(limit: number): this
}

function within<T extends z.ZodType & Limited>(type: T, least: unknown, most: unknown): T {
  const above = typeof least === 'number' ? type.min(least) : type
  return typeof most === 'number' ? above.max(most) : above
}
