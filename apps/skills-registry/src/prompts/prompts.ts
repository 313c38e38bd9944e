import {
  checkPromptArguments,
  checkPromptDescription,
  checkPromptFunctionId,
  checkPromptName,
  compareText,
  Fault,
  GetPromptResult,
  InputRequired,
  MAX_ID_BYTES,
  PromptRow,
  promptsFunctions,
  type RegisterPromptInput,
  refuseInternal,
  toDescription,
  toFault,
  toPromptMessages,
  toTitle,
} from '@iii/protocol'
import { z } from 'zod'
import type { FunctionCalls } from '../invocation/function-calls.ts'
import { toAnswer } from '../records/page.ts'
import { isStampShort } from '../records/registered-at.ts'
import type { Listed, Registry, Surveyed } from '../records/registry.ts'
import { memoize, memoizeEach } from '../records/remembered.ts'
import { refuseIf, type ServeFunction } from '../serve.ts'
import { type RecordKind, ROW_BYTES } from '../store/record-kind.ts'

const Argument = z.object({ name: z.string(), description: z.string().optional(), required: z.boolean() })

/** What a list shows of a prompt: all of it, without what cannot be seen, and without what is endless. */
export interface PromptInfo {
  name: string
  description: string
  function_id: string
  namespace?: string | undefined
  arguments: z.infer<typeof Argument>[]
  /** How many arguments there are, shown or not. */
  argument_count: number
  bytes: number
  registered_at: string
  /** The worker that it lives as long as. */
  lease?: string | undefined
}

/** The registered slash-command prompts. */
export type Prompts = Registry<PromptRow, PromptInfo>

/** The largest prompt, in bytes of JSON without its time: name, description, arguments and handler. */
const MAX_PROMPT_BYTES = 262_144
/** Whoever writes to the scope directly may store a prompt of any size: of so many arguments the first are shown. */
const MAX_SHOWN_ARGUMENTS = 100
/** What the names of its fields take in each argument. */
const ARGUMENT_BYTES = 32

/** How prompts are stored, compared and listed. */
export const promptRecords: RecordKind<PromptRow, PromptInfo> = {
  what: 'prompt',
  // A name that could not be registered cannot be asked for either.
  schema: PromptRow.refine(({ name }) => checkPromptName(name) === undefined, {
    path: ['name'],
    message: 'no name of a prompt',
  })
    .refine(({ function_id }) => function_id.length <= MAX_ID_BYTES, { path: ['function_id'], message: 'too long' })
    .refine(isStampShort, { path: ['registered_at'], message: 'too long' }),
  keyOf: ({ name }) => name,
  contentOf: toContentText,
  toEntry: (row) => ({
    name: row.name,
    description: toDescription(row.description, ' ') ?? '',
    function_id: row.function_id,
    ...(row.namespace === undefined ? {} : { namespace: row.namespace }),
    arguments: row.arguments.slice(0, MAX_SHOWN_ARGUMENTS).map(toShownArgument),
    argument_count: row.arguments.length,
    bytes: Buffer.byteLength(toContentText(row)),
    registered_at: row.registered_at,
    ...(row.lease === undefined ? {} : { lease: row.lease }),
  }),
  entrySchema: z
    .object({
      name: z.string().refine((name) => checkPromptName(name) === undefined),
      description: z.string().transform((text) => toDescription(text, ' ') ?? ''),
      function_id: z.string().max(MAX_ID_BYTES),
      namespace: z.string().optional(),
      arguments: z.array(Argument.transform(toShownArgument)).max(MAX_SHOWN_ARGUMENTS),
      argument_count: z.int().nonnegative(),
      bytes: z.int().nonnegative(),
      registered_at: z.string(),
      lease: z.string().optional(),
    })
    .refine(isStampShort) as z.ZodType<PromptInfo>,
  sizeOf: ({ bytes, argument_count, lease = '' }) =>
    ROW_BYTES + bytes + argument_count * ARGUMENT_BYTES + Buffer.byteLength(lease),
}

/** Everything but the stamp, in one spelling: the engine sorts keys and old stores write `null` for what is not there. */
function toContentText({ name, description, arguments: args, function_id, namespace }: PromptRow): string {
  return JSON.stringify([
    name,
    description,
    function_id,
    args.map((arg) => [arg.name, arg.description ?? null, arg.required]),
    ...(namespace === undefined ? [] : [namespace]),
  ])
}

const GetResult = z.union([GetPromptResult, InputRequired])

/** Puts the `prompts::*` functions on the bus. */
export function servePrompts(serve: ServeFunction, prompts: Prompts, calls: FunctionCalls): void {
  serve(promptsFunctions.register, async (input, _metadata, call) => {
    const { name, description, function_id } = input
    refuseBad(input)
    const args = input.arguments.map(toArgument)
    const namespace = await prompts.namespaceOf(call)
    const row = { name, description, arguments: args, function_id, ...(namespace === undefined ? {} : { namespace }) }
    return { name, registered_at: await prompts.write(row, call, input.lease) }
  })
  serve(promptsFunctions.unregister, async ({ name }, _metadata, call) => {
    refuseIf(checkPromptName(name))
    return { name, removed: await prompts.remove(name, call) }
  })
  serve(promptsFunctions.list, async ({ name }) => {
    const all = await prompts.survey()
    return name === undefined ? toList(all) : { prompts: all.filter((row) => row.name === name).map(toRow) }
  })
  serve(promptsFunctions.mcpList, async () => toMcpList(await prompts.list()))
  serve({ ...promptsFunctions.mcpGet, response: GetResult }, async ({ name, arguments: args }, metadata) => {
    refuseIf(checkPromptName(name))
    const row = await prompts.read(name)
    if (row === undefined) throw new Fault('not_found', `Prompt not found: ${name}`)
    const { function_id: functionId, namespace, description } = row
    const value = await calls.call({ functionId, namespace, payload: args ?? {}, via: 'prompt', metadata })
    return toResult(functionId, description, value)
  })
}

function refuseBad({ name, description, function_id, arguments: args }: RegisterPromptInput): void {
  refuseIf(checkPromptName(name) ?? checkPromptDescription(description) ?? checkPromptFunctionId(function_id))
  refuseIf(checkPromptArguments(args))
  refuseLarge(toContentText({ name, description, function_id, arguments: args, registered_at: '' }))
  const refusal = refuseInternal(function_id, undefined, 'prompt')
  if (refusal) throw new Fault('forbidden', refusal.message)
}

function refuseLarge(content: string): void {
  const bytes = Buffer.byteLength(content)
  refuseIf(bytes > MAX_PROMPT_BYTES ? `prompt too large (${bytes} bytes; max ${MAX_PROMPT_BYTES})` : undefined)
}

const toRow = memoizeEach(
  ({ name, function_id, namespace, argument_count, registered_at, owner, away }: Surveyed<PromptInfo>) => ({
    name,
    function_id,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: argument_count,
    registered_at,
    owner,
    ...(away === undefined ? {} : { away }),
  }),
)

const toMcpPrompt = memoizeEach(({ name, description, arguments: args }: PromptInfo) => ({
  name,
  description,
  arguments: args,
}))

const toList = memoize((infos: readonly Surveyed<PromptInfo>[]) => toAnswer('prompts', byName(infos).map(toRow)))

const toMcpList = memoize((infos: readonly Listed<PromptInfo>[]) => toAnswer('prompts', byName(infos).map(toMcpPrompt)))

function byName<T extends { name: string }>(rows: readonly T[]): T[] {
  return [...rows].sort((a, b) => compareText(a.name, b.name))
}

/** Who reads a list is not who wrote the row. */
function toShownArgument(arg: PromptRow['arguments'][number]): PromptInfo['arguments'][number] {
  const { name, description, required } = toArgument(arg)
  return {
    name: toTitle(name, ' ') ?? '',
    ...(description === undefined ? {} : { description: toDescription(description, ' ') ?? '' }),
    required,
  }
}

function toArgument({ name, description, required }: PromptRow['arguments'][number]): {
  name: string
  description?: string
  required: boolean
} {
  return typeof description === 'string' ? { name, description, required } : { name, required }
}

function toResult(functionId: string, description: string, value: unknown): z.infer<typeof GetResult> {
  const asked = InputRequired.safeParse(value).data
  if (asked !== undefined) return asked
  try {
    return { description, messages: toPromptMessages(value) }
  } catch (error) {
    const fault = toFault(error)
    throw new Fault(fault.code, `trigger ${functionId}: ${fault.message}`)
  }
}
