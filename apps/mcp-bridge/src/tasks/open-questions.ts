import type { JsonObject } from '@iii/protocol'
import type { InputResponses } from '@modelcontextprotocol/server'
import { askedTooOften, MAX_ROUNDS } from '../invocation/asking.ts'
import type { FunctionReply, RoundAnswers } from '../invocation/index.ts'
import { isAnswer } from '../invocation/questions.ts'
import { invalidParams } from '../mcp/rpc.ts'
import type { TaskRow } from './record.ts'

/** What a task wants to know of its client, answered one by one. */
export interface OpenQuestions {
  /** A round of questions, instead of the last one. @returns them by names that this task has not used before */
  ask(questions: Questions): Requests
  /** A round without questions. @returns the answers of it @throws Fault when there were too many of them */
  pass(functionId: string, questions: Questions): RoundAnswers
  /**
   * Takes in answers; names that nobody asked for are ignored.
   *
   * @returns what is left of the questions, the answers of the round when nothing is, undefined when there was nothing to take in
   * @throws RpcError for an answer that is none
   */
  answer(responses: JsonObject): { left: Requests } | { answers: RoundAnswers } | undefined
}

type Questions = FunctionReply & { kind: 'questions' }
type Requests = NonNullable<TaskRow['input_requests']>

export function createOpenQuestions(): OpenQuestions {
  const used = new Set<string>()
  let open = new Map<string, { key: string; request: Requests[string] }>()
  let given: InputResponses = {}
  let state: string | undefined
  let passed = 0

  /** A client that has answered a name does not look at it again. */
  function toUnused(key: string): string {
    let name = key
    for (let count = 2; used.has(name); count += 1) name = `${key}-${count}`
    used.add(name)
    return name
  }

  const left = () => Object.fromEntries([...open].map(([name, { request }]) => [name, request]))

  return {
    ask(questions) {
      state = questions.state
      given = {}
      open = new Map(Object.entries(questions.requests).map(([key, request]) => [toUnused(key), { key, request }]))
      return left()
    },
    pass(functionId, questions) {
      if (passed === MAX_ROUNDS) throw askedTooOften(functionId)
      passed += 1
      return { responses: {}, state: questions.state }
    },
    answer(responses) {
      const known = [...open].filter(([name]) => Object.hasOwn(responses, name))
      const taken = known.map(([name, { key, request }]) => [key, requireAnswer(name, responses[name], request.method)])
      if (known.length === 0) return undefined
      given = { ...given, ...Object.fromEntries(taken) }
      for (const [name] of known) open.delete(name)
      return open.size > 0 ? { left: left() } : { answers: { responses: given, state } }
    },
  }
}

function requireAnswer(name: string, response: unknown, method: string): InputResponses[string] {
  if (isAnswer(response, method)) return response
  const shown = name.slice(0, 64).toWellFormed()
  throw invalidParams(`'inputResponses.${shown}' is no answer to ${method}`)
}
