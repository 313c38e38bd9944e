import type { JsonObject } from '@iii/protocol'
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server'
import type { Principal } from '../../auth/principal.ts'
import { toMatching } from '../../gate/unknown-name.ts'
import type { Argument } from '../../resources/engine/index.ts'
import { buildApi } from './build-api.ts'
import { eventPipeline } from './event-pipeline.ts'
import type { CannedPrompt, Facts, Mistake } from './prompt.ts'
import { registerFunctionPrompt } from './register-function.ts'
import { setupCron } from './setup-cron.ts'

/** The prompts that the bridge brings along. */
export interface CannedPrompts {
  /** Rows of `prompts/list`; none where they are switched off. */
  list(): Prompt[]
  has(name: string): boolean
  /** Is it one that is switched off? */
  isOff(name: string): boolean
  /** The result of `prompts/get`, or what is wrong with the arguments. Only for what `has` knows. */
  get(name: string, input: JsonObject | undefined): GetPromptResult | Mistake
  /** What an argument may be, by what was typed of it. @throws what the engine says */
  complete(name: string, argument: Argument, principal: Principal): Promise<readonly string[]>
}

export interface CannedPromptsOptions {
  /** Has the operator left them on? */
  readonly isOn: () => boolean
  readonly rules: () => Facts['rules']
  /** The ids of the functions that a principal may see. @throws what the engine says */
  readonly functionIds: (principal: Principal) => Promise<readonly string[]>
}

const PROMPTS: readonly CannedPrompt[] = [registerFunctionPrompt, buildApi, setupCron, eventPipeline]
const BY_NAME: ReadonlyMap<string, CannedPrompt> = new Map(PROMPTS.map((prompt) => [prompt.name, prompt]))
/** Their names. */
export const CANNED_PROMPTS: readonly string[] = [...BY_NAME.keys()]
const ROWS: readonly Prompt[] = PROMPTS.map(({ name, title, description, arguments: all }) => ({
  name,
  title,
  description,
  arguments: all.map((argument) => ({ name: argument.name, description: argument.description, required: true })),
}))

export function createCannedPrompts({ isOn, rules, functionIds }: CannedPromptsOptions): CannedPrompts {
  return {
    list: () => (isOn() ? [...ROWS] : []),
    has: (name) => isOn() && BY_NAME.has(name),
    isOff: (name) => !isOn() && BY_NAME.has(name),
    get(name, input) {
      const prompt = BY_NAME.get(name)
      if (prompt === undefined) return { mistake: `Prompt not found: ${name}` }
      const values = readValues(prompt, input)
      if (isMistake(values)) return values
      const text = prompt.render(values, { rules: rules() })
      if (typeof text !== 'string') return text
      return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
    },
    async complete(name, { name: asked, value }, principal) {
      const argument = BY_NAME.get(name)?.arguments.find((each) => each.name === asked)
      if (argument === undefined) return []
      const facts: Facts = { rules: rules(), functionIds: () => functionIds(principal) }
      return toMatching(await argument.values(facts), value)
    },
  }
}

export function isMistake(answer: object): answer is Mistake {
  return 'mistake' in answer && typeof answer.mistake === 'string'
}

function readValues(prompt: CannedPrompt, input: JsonObject = {}): Record<string, string> | Mistake {
  const values: Record<string, string> = {}
  for (const { name } of prompt.arguments) {
    const value = Object.hasOwn(input, name) ? input[name] : ''
    if (typeof value !== 'string') return { mistake: `Argument '${name}' must be a string` }
    if (value.trim() === '') return { mistake: `Missing required argument: ${name}` }
    if (value.length > MAX_LENGTH || !value.isWellFormed()) return { mistake: `Argument '${name}' is no short text` }
    values[name] = value
  }
  return values
}

const MAX_LENGTH = 1_024
