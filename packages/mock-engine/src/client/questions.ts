import type { InputRequired } from '@iii/protocol'
import { toGivenText } from '../suggestions/mistyped.ts'
import { EngineError } from '../wire/engine-error.ts'

/** What a function asks its client. */
export interface ClientQuestion {
  /** Its name among the questions of the function. */
  readonly key: string
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list' | (string & {})
  /** What a person reads: of a form its message, of a question to the model its texts, else ''. */
  readonly message: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * What the client says: the content of a form, the text that its model writes, the addresses of its roots, `'decline'` or `'cancel'`; or
 * the result as MCP has it, with its `action`, `role` or `roots`.
 */
export type ClientAnswer = string | readonly string[] | Readonly<Record<string, unknown>>

/** Answers by the key or the message of their question, or a function that makes them. */
export type ClientAnswers =
  | Readonly<Record<string, ClientAnswer>>
  | ((question: ClientQuestion) => ClientAnswer | Promise<ClientAnswer>)

type Request = InputRequired['input_requests'][string]

/** @throws EngineError `question_unanswered` that names the question. */
export async function answerAll(
  functionId: string,
  requests: InputRequired['input_requests'],
  answers: ClientAnswers,
): Promise<Record<string, unknown>> {
  const responses: Record<string, unknown> = {}
  for (const [key, request] of Object.entries(requests)) {
    const question = toQuestion(key, request)
    const answer = await findAnswer(functionId, question, answers)
    requireAnswer(question, answer)
    responses[key] = toResponse(question.method, answer)
  }
  return responses
}

function toQuestion(key: string, { method, params = {} }: Request): ClientQuestion {
  const { message, messages } = params
  const text = Array.isArray(messages) ? messages.map(toText).filter(Boolean).join('\n') : ''
  return { key, method, message: typeof message === 'string' ? message : text, params }
}

function toText(message: { content?: { text?: unknown } } | null): string {
  const text = message?.content?.text
  return typeof text === 'string' ? text : ''
}

async function findAnswer(functionId: string, question: ClientQuestion, answers: ClientAnswers): Promise<ClientAnswer> {
  if (typeof answers === 'function') return await answers(question)
  for (const name of [question.key, question.message, question.method]) {
    const answer = Object.hasOwn(answers, name) ? answers[name] : undefined
    if (answer !== undefined) return answer
  }
  const name = JSON.stringify(question.message || question.method)
  throw new EngineError('question_unanswered', `${functionId} asks ${name}; say answers: { ${name}: … }`)
}

function requireAnswer({ message, method }: ClientQuestion, answer: unknown): void {
  if (typeof answer === 'string' || (typeof answer === 'object' && answer !== null)) return
  const right = "the content of a form, a text, a list of roots, 'decline' or 'cancel'"
  throw new EngineError(
    'question_unanswered',
    `the answer to ${JSON.stringify(message || method)} is ${toGivenText(answer)}; say ${right}`,
  )
}

/** The result of the client's request, as MCP has it. */
function toResponse(method: string, answer: ClientAnswer): unknown {
  if (answer === 'decline' || answer === 'cancel') return { action: answer }
  if (typeof answer === 'string') {
    return { role: 'assistant', content: { type: 'text', text: answer }, model: 'test' }
  }
  if (Array.isArray(answer)) return { roots: answer.map((uri) => ({ uri })) }
  if (method !== 'elicitation/create' || isElicited(answer as object)) return answer
  return { action: 'accept', content: answer }
}

function isElicited(answer: object): boolean {
  return 'action' in answer && /^(?:accept|decline|cancel)$/.test(String(answer.action))
}
