import { randomUUID } from 'node:crypto'
import { Fault, isRecord, type JsonObject } from '@iii/protocol'
import { formatIssues } from '@iii/sdk'
import { toJsonBytes } from '@iii/sdk/call-feed'
import type { InputResponses } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { explainFormSchema } from './form-schema.ts'
import type { FunctionQuestions } from './function-reply.ts'

/** What a client can be asked, what it has to declare for it, and what it answers. */
interface Kind {
  /** @returns what is wrong with the parameters */
  readonly explain: (params: JsonObject) => string | undefined
  /** The capabilities that a client needs. */
  readonly needs: (params: JsonObject) => JsonObject
  readonly answer: z.ZodType
}

const Content = z.union([z.looseObject({ type: z.string() }), z.array(z.looseObject({ type: z.string() }))])
const role = z.enum(['user', 'assistant'])
const Sampling = z.looseObject({
  messages: z.array(z.looseObject({ role, content: Content })),
  maxTokens: z.int().positive(),
  tools: z
    .array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({ type: z.literal('object') }) }))
    .optional(),
  toolChoice: z.looseObject({ mode: z.enum(['auto', 'required', 'none']).optional() }).optional(),
})
const isWebAddress = (url: string) => /^https?:\/\//.test(url) && URL.canParse(url)
const Link = z.looseObject({
  message: z.string(),
  url: z.string().refine(isWebAddress, 'must be an http(s) address'),
  elicitationId: z.string().optional(),
})

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [
    'elicitation/create',
    {
      explain(params) {
        const { mode = 'form' } = params
        if (mode === 'url') return explain(Link, params)
        if (mode !== 'form') return "params.mode must be 'form' or 'url'"
        return typeof params['message'] === 'string' ? explainFormSchema(params['requestedSchema']) : 'needs a message'
      },
      needs: ({ mode }) => ({ elicitation: mode === 'url' ? { url: {} } : { form: {} } }),
      answer: z.looseObject({
        action: z.enum(['accept', 'decline', 'cancel']),
        content: z.record(z.string(), z.unknown()).nullable().optional(),
      }),
    },
  ],
  [
    'sampling/createMessage',
    {
      explain: (params) => explain(Sampling, params),
      needs: ({ tools, toolChoice }) => ({
        sampling: tools === undefined && toolChoice === undefined ? {} : { tools: {} },
      }),
      answer: z.looseObject({ role, content: Content, model: z.string() }),
    },
  ],
  [
    'roots/list',
    {
      explain: () => undefined,
      needs: () => ({ roots: {} }),
      answer: z.looseObject({ roots: z.array(z.looseObject({ uri: z.string() })) }),
    },
  ],
])

/** More than that at once is no conversation. */
const MAX_QUESTIONS = 32
/** What goes through clients, and waits in their streams. A picture for a model has room in it. */
const MAX_QUESTION_BYTES = 1024 * 1024

/** @throws Fault `internal`, for the author of the function, when it asks what no client can be asked */
export function checkQuestions(functionId: string, questions: FunctionQuestions): void {
  const entries = Object.entries(questions)
  if (entries.length > MAX_QUESTIONS) throw malformed(functionId, `at most ${MAX_QUESTIONS} questions go at once`)
  const bytes = toJsonBytes(questions)
  if (bytes > MAX_QUESTION_BYTES) {
    throw malformed(functionId, `they have ${bytes} bytes as JSON; at most ${MAX_QUESTION_BYTES} go at once`)
  }
  for (const [key, { method, params = {} }] of entries) {
    const kind = KINDS.get(method)
    const known = [...KINDS.keys()].join(', ')
    const problem = kind === undefined ? `method must be one of ${known}` : kind.explain(params)
    if (problem !== undefined) throw malformed(functionId, `input_requests.${key.slice(0, 64)}: ${problem}`)
  }
}

function malformed(functionId: string, problem: string): Fault {
  return new Fault('internal', `${functionId} asks what a client cannot be asked: ${problem}`)
}

/**
 * What of all this a client has not declared.
 *
 * @returns the capabilities it would need; undefined when it can be asked everything
 */
export function findMissing(questions: FunctionQuestions, declared: JsonObject): JsonObject | undefined {
  const missing = Object.values(questions)
    .map(({ method, params = {} }) => KINDS.get(method)?.needs(params) ?? {})
    .filter((needs) => !isDeclared(needs, declared))
  if (missing.length === 0) return undefined
  const merged: Record<string, JsonObject> = {}
  for (const [name, parts] of missing.flatMap(Object.entries<unknown>))
    merged[name] = { ...merged[name], ...(parts as JsonObject) }
  return merged
}

/** A capability that names no parts means the first one that there was: forms, and sampling without tools. */
function isDeclared(needs: JsonObject, declared: JsonObject): boolean {
  return Object.entries(needs).every(([name, parts]) => {
    const own = declared[name]
    if (!isRecord(own)) return false
    return Object.keys(parts as JsonObject).every(
      (part) => isRecord(own[part]) || (part === 'form' && !isRecord(own['url'])),
    )
  })
}

/** A question as sessionful revisions have it: those want a name for each link, which 2026-07-28 has no more. */
export function toSessionParams(params: JsonObject = {}): JsonObject {
  return params['mode'] === 'url' ? { elicitationId: randomUUID(), ...params } : params
}

/** The capabilities that are about being asked. */
export const ASKABLE: readonly string[] = ['elicitation', 'sampling', 'roots']

/** @returns whether a client's answer has the form that MCP gives to answers: to this method, or to any */
export function isAnswer(value: unknown, method?: string): value is InputResponses[string] {
  const kinds = method === undefined ? [...KINDS.values()] : [KINDS.get(method)]
  return kinds.some((kind) => kind?.answer.safeParse(value).success)
}

function explain(schema: z.ZodType, params: JsonObject): string | undefined {
  const { error } = schema.safeParse(params)
  return error && formatIssues(error.issues, 'params')
}
