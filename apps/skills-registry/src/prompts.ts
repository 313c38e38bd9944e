import {
  checkPromptArguments,
  checkPromptDescription,
  checkPromptFunctionId,
  checkPromptName,
  Fault,
  GetPromptResult,
  InputRequired,
  type McpPrompt,
  PromptRow,
  promptsFunctions,
  type RegisterPromptInput,
  refuseHidden,
  toFault,
  toPromptMessages,
} from '@iii/protocol'
import { z } from 'zod'
import type { FunctionCalls } from './function-calls.ts'
import type { Registry, RegistryOptions } from './registry.ts'
import type { Serve } from './serve.ts'
import { toSidecar } from './sidecar.ts'
import { compare } from './tree.ts'

/** The registered slash-command prompts; a list shows them whole. */
export type Prompts = Registry<PromptRow, PromptRow>

/** How prompts are stored, compared and listed. */
export const promptRecords = {
  what: 'prompt',
  schema: PromptRow,
  toEntry: (row: PromptRow) => row,
  isSame: (a: PromptRow, b: PromptRow) => toContentText(a) === toContentText(b),
} satisfies Partial<RegistryOptions<PromptRow, PromptRow>>

/** Everything but the stamp, in one spelling: the engine sorts keys and old stores write `null` for what is not there. */
function toContentText({ name, description, arguments: args, function_id }: PromptRow): string {
  return JSON.stringify([
    name,
    description,
    function_id,
    args.map((arg) => [arg.name, arg.description ?? null, arg.required]),
  ])
}

const GetResult = z.union([GetPromptResult, InputRequired])

/** Puts the `prompts::*` functions on the bus. */
export function servePrompts(serve: Serve, prompts: Prompts, calls: FunctionCalls): void {
  serve(promptsFunctions.register, async (input) => {
    const { name, description, function_id } = input
    refuseBad(input)
    const args = input.arguments.map(toArgument)
    return { name, registered_at: await prompts.write(name, { name, description, arguments: args, function_id }) }
  })
  serve(promptsFunctions.unregister, async ({ name }) => {
    refuseIf(checkPromptName(name))
    return { name, removed: await prompts.remove(name) }
  })
  serve(promptsFunctions.list, async () => ({
    prompts: (await listByName(prompts)).map(({ name, function_id, arguments: args, registered_at }) => ({
      name,
      function_id,
      arguments: args.length,
      registered_at,
    })),
  }))
  serve(promptsFunctions.mcpList, async () => ({ prompts: (await listByName(prompts)).map(toMcpPrompt) }))
  serve({ ...promptsFunctions.mcpGet, response: GetResult }, async ({ name, arguments: args }, metadata) => {
    refuseIf(checkPromptName(name))
    const row = await prompts.read(name)
    if (row === undefined) throw new Fault('not_found', `Prompt not found: ${name}`)
    const { function_id: functionId, description } = row
    const sidecar = toSidecar(metadata)
    const value = await calls.call({ functionId, payload: args ?? {}, via: 'prompt', sidecar })
    return toResult(functionId, description, value)
  })
}

function refuseBad({ name, description, function_id, arguments: args }: RegisterPromptInput): void {
  refuseIf(checkPromptName(name) ?? checkPromptDescription(description) ?? checkPromptFunctionId(function_id))
  refuseIf(checkPromptArguments(args))
  const refusal = refuseHidden(function_id, undefined, 'prompt')
  if (refusal) throw new Fault('forbidden', refusal.message)
}

function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new Fault('invalid_input', problem)
}

async function listByName(prompts: Prompts): Promise<PromptRow[]> {
  return [...(await prompts.list())].sort((a, b) => compare(a.name, b.name))
}

function toMcpPrompt({ name, description, arguments: args }: PromptRow): McpPrompt {
  return { name, description, arguments: args.map(toArgument) }
}

function toArgument({ name, description, required }: PromptRow['arguments'][number]) {
  return typeof description === 'string' ? { name, description, required } : { name, required }
}

function toResult(functionId: string, description: string, value: unknown): z.infer<typeof GetResult> {
  if (InputRequired.safeParse(value).success) return value as InputRequired
  try {
    return { description, messages: toPromptMessages(value) }
  } catch (error) {
    const fault = toFault(error)
    throw new Fault(fault.code, `trigger ${functionId}: ${fault.message}`)
  }
}
