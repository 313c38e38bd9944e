import { Fault, type InputRequired, type McpSidecar } from '@iii/protocol'
import type { CallWatch } from '../engine/call-context.ts'
import { type NamesOf, refuseMistyped } from '../suggestions/mistyped.ts'
import { createAnswers } from './answers.ts'
import { formatMemory, type Memory, parseMemory } from './memory.ts'
import { createOnce, isWithinOnce, type Once } from './once.ts'
import type { Answer, AskOptions, Question } from './question.ts'

/** The questions of one run of a function, and what the runs before it have learnt. */
export interface Interview extends CallWatch {
  /** Answers when the client has. Else the run ends here: {@link Interview.ended} says with what, and this never settles. */
  put<T>(question: Question<T>, options?: AskOptions<T>): Promise<Answer<T>>
  once: Once['run']
  /** The return value that has the client asked. Rejects when it cannot be made. */
  readonly ended: Promise<InputRequired>
}

const OPTIONS: NamesOf<AskOptions<unknown>> = { key: true, default: true }

type Requests = InputRequired['input_requests']

/**
 * @param sidecar of the call; undefined when it did not come through MCP.
 * @throws Fault `invalid_input` for a request state that is none of ours.
 */
export function createInterview(functionId: string, sidecar: McpSidecar | undefined): Interview {
  const { input_responses: responses = {}, client_capabilities: capabilities = {} } = sidecar ?? {}
  const memory = readMemory(sidecar)
  const answers = createAnswers(responses, memory)
  const isForgotten = () => hasLostState(sidecar) && memory.answers.size === 0
  const once = createOnce(memory, isForgotten, () => endSoon())
  const round = createRound({ isIdle: () => once.working === 0, check, memory })
  const endSoon = round.endSoon
  let called: string | undefined

  function check(question: Question<unknown>): void {
    if (isWithinOnce())
      throw new Fault('internal', `${functionId} must not ask within once(key, fn): ${question.label}`)
    if (called !== undefined) throw tooLate(functionId, called, question)
  }

  return {
    ended: round.ended,
    async put(question, options = {}) {
      refuseMistyped(question.label, options, OPTIONS)
      check(question)
      const isDeclared = sidecar !== undefined && question.isDeclared(capabilities)
      if (!isDeclared && options.default !== undefined) {
        return { action: 'accept', content: options.default, asked: false }
      }
      if (sidecar === undefined) throw nobodyToAsk(functionId, question)
      const name = answers.nameOf(question, options.key)
      // Said before anything else gets its turn, so that nothing is called beside it.
      if (!answers.has(name)) return await round.add(name, question, question.params)
      const answer = await answers.read(question, name)
      if (!('problem' in answer)) return answer
      return await round.add(name, question, question.repeat(answer.problem))
    },
    once: (key, work) => (round.isOver ? never() : once.run(key, work)),
    onCall(calledId) {
      if (round.isOpen) return wouldBeRepeated(functionId, calledId)
      called ??= calledId
      return undefined
    },
  }
}

interface RoundParts {
  /** Nothing goes on but waiting. */
  isIdle: () => boolean
  /** Throws when the run must not be repeated. */
  check: (question: Question<unknown>) => void
  memory: Memory
}

/** The questions of this run that have no answer. Those that are asked in one turn go out together. */
function createRound({ isIdle, check, memory }: RoundParts) {
  const requests = new Map<string, Requests[string]>()
  let last: Question<unknown> | undefined
  let isLooking = false
  let isOver = false
  let end: (result: Promise<InputRequired>) => void = () => undefined
  const ended = new Promise<InputRequired>((resolve) => {
    end = resolve
  })
  // Nobody may look at it any more by then.
  ended.catch(() => undefined)

  async function toResult(): Promise<InputRequired> {
    if (last !== undefined) check(last)
    const state = formatMemory(memory)
    const result = { result_type: 'input_required' as const, input_requests: Object.fromEntries(requests) }
    return state === undefined ? result : { ...result, request_state: state }
  }

  function look(): void {
    isLooking = false
    if (isOver || requests.size === 0 || !isIdle()) return
    isOver = true
    end(toResult())
  }

  function endSoon(): void {
    if (isLooking || requests.size === 0) return
    isLooking = true
    setImmediate(look)
  }

  return {
    ended,
    get isOpen() {
      return requests.size > 0
    },
    get isOver() {
      return isOver
    },
    add(name: string, question: Question<unknown>, params: Question<unknown>['params']): Promise<never> {
      if (isOver) return never()
      last = question
      requests.set(name, { method: question.method, params: { ...params } })
      endSoon()
      return never()
    },
    endSoon,
  }
}

/** Answers came, and not the state that belongs to them; there may have been none. */
function hasLostState(sidecar: McpSidecar | undefined): boolean {
  return sidecar?.request_state === undefined && Object.keys(sidecar?.input_responses ?? {}).length > 0
}

function readMemory(sidecar: McpSidecar | undefined): Memory {
  if (sidecar?.request_state === undefined) return { answers: new Map(), done: new Map() }
  const memory = parseMemory(sidecar.request_state)
  if (memory !== undefined) return memory
  throw new Fault('invalid_input', 'The request state is not one that this function has given')
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}

const ADVICE = 'the function runs again from the top with the answer. Put the call into once(key, fn)'

function tooLate(functionId: string, called: string, question: Question<unknown>): Fault {
  const text = `${functionId} called ${called} before it asked ${question.label}, and would call it again: ${ADVICE}, or ask first`
  return new Fault('internal', text)
}

function wouldBeRepeated(functionId: string, called: string): Fault {
  return new Fault('internal', `${functionId} calls ${called} while it asks, and would call it again: ${ADVICE}`)
}

function nobodyToAsk(functionId: string, { label, capability }: Question<unknown>): Fault {
  const text = `${functionId} needs an answer to ${label}, and nobody can be asked here`
  return new Fault('unavailable', `${text}: call it through an MCP client with the capability ${capability}`)
}
