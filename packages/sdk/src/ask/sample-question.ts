import { z } from 'zod'
import type { Question } from './question.ts'

/** What the client's model is asked (MCP `sampling/createMessage`); further params of MCP pass as they are. */
export interface SampleParams {
  messages: readonly { role: 'user' | 'assistant'; content: unknown }[]
  /** The most tokens that the answer may have. */
  maxTokens: number
  systemPrompt?: string | undefined
  temperature?: number | undefined
  [param: string]: unknown
}

/** What it wrote; a `default` needs nothing but the text. */
export interface Sample {
  /** The texts of it, one after the other. */
  readonly text: string
  readonly role?: 'user' | 'assistant' | undefined
  /** One block or several, as MCP has them. */
  readonly content?: unknown
  readonly model?: string | undefined
  readonly stopReason?: string | undefined
}

const MAX_TOKENS = 1_000

const Block = z.looseObject({ type: z.string(), text: z.string().optional() })
/** MCP `CreateMessageResult`. */
const Sampled = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.union([Block, z.array(Block)]),
  model: z.string(),
  stopReason: z.string().optional(),
})
/** How a person refuses, where the client tells. */
const Refused = z.object({ action: z.enum(['decline', 'cancel']) })

export function toSampleQuestion(given: SampleParams | string): Question<Sample> {
  const params = typeof given === 'string' ? toParams(given) : given
  return {
    kind: 'sample',
    method: 'sampling/createMessage',
    params,
    label: 'a question to the model of the client',
    capability: 'sampling',
    isDeclared: ({ sampling }) => takes(sampling, params),
    repeat: () => params,
    async read(answer) {
      const refused = Refused.safeParse(answer)
      if (refused.success) return { answer: refused.data }
      const sampled = Sampled.safeParse(answer)
      if (!sampled.success) return { problem: 'it is no message' }
      const text = toText(sampled.data.content)
      return { answer: { action: 'accept', content: { text, ...sampled.data }, asked: true } }
    },
  }
}

/** Tools are a capability of their own. */
function takes(sampling: unknown, { tools, toolChoice }: SampleParams): boolean {
  if (typeof sampling !== 'object' || sampling === null) return false
  return 'tools' in sampling || (tools === undefined && toolChoice === undefined)
}

function toParams(text: string): SampleParams {
  return { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: MAX_TOKENS }
}

function toText(content: z.infer<typeof Sampled>['content']): string {
  const blocks = Array.isArray(content) ? content : [content]
  return blocks.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n')
}
