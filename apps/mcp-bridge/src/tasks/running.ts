import { Fault, type JsonObject, toFault } from '@iii/protocol'
import type { Principal } from '../auth/principal.ts'
import { toAnswering } from '../auth/told-principal.ts'
import { isEmpty, requireAskable } from '../invocation/asking.ts'
import type { FunctionCall, FunctionReply, Invoker, RoundAnswers } from '../invocation/index.ts'
import { type McpCall, UNREACHABLE } from '../mcp/call.ts'
import type { TaskTrace } from '../mcp/call-trace.ts'
import type { CallParams } from '../mcp/params.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'
import { createOpenQuestions } from './open-questions.ts'
import { isOver, type TaskOutcome, type TaskRow } from './record.ts'
import { toFailure, toKeptOutcome, toOutcome } from './written.ts'

/** A task that this process runs. */
export interface RunningTask {
  readonly row: TaskRow
  /** Once it is over. */
  readonly outcome: TaskOutcome | undefined
  /** The connection to its function is lost, and the function writes down itself what comes of it. */
  readonly isLost: boolean
  /** Begins. */
  start(answers: RoundAnswers | undefined): void
  /** Takes in answers to open questions; with the last one it goes on, as whoever answers it. @throws RpcError for an answer that is none */
  answer(responses: JsonObject, principal: Principal | undefined): Promise<void>
  cancel(message?: string): Promise<void>
}

export interface RunningTaskOptions {
  readonly row: TaskRow
  /** Where its function may write down what came of it. */
  readonly resultsScope: string
  readonly invocation: FunctionCall
  readonly invoker: Pick<Invoker, 'once'>
  /** The call that began it, and its parameters. */
  readonly call: McpCall
  readonly params: CallParams
  /** Writes down how it stands. Never rejects. */
  readonly save: (row: TaskRow, outcome: TaskOutcome | undefined) => Promise<void>
  /** Has this process been told to stop? Then what breaks off is not the function's fault. */
  readonly isStopping: () => boolean
  /** The largest result that a client gets, at the moment. */
  readonly maxResultBytes: () => number
  readonly now: () => number
}

export function createRunningTask(options: RunningTaskOptions): RunningTask {
  const { invoker, params, save, isStopping, now } = options
  const controller = new AbortController()
  const trace = options.call.trace?.task()
  const own = { share: { kind: 'admitted' }, signal: controller.signal, reach: UNREACHABLE, trace } as const
  let call: McpCall = { ...options.call, ...own }
  const invocation = toTaskInvocation(options)
  const questions = createOpenQuestions()
  let { row } = options
  let outcome: TaskOutcome | undefined
  let isLost = false

  async function step(answers: RoundAnswers | undefined): Promise<void> {
    const timeoutMs = Math.max(1, row.deadline_at - now())
    const limits = { ...call.limits, timeoutMs, plainMs: timeoutMs, isTask: true as const }
    try {
      const answer = await invoker.once(invocation, { ...call, limits }, params, answers)
      if (isOver(row)) return
      if (answer.kind === 'questions') await ask(answer)
      else await finish(toOutcome(answer.value, row))
    } catch (error) {
      await fail(error)
    }
  }

  function change(what: Partial<TaskRow>): Promise<void> {
    const { input_requests: _, ...rest } = row
    row = { ...rest, ...what, updated_at: now() }
    return save(row, outcome)
  }

  function finish(end: TaskOutcome): Promise<void> {
    outcome = toKeptOutcome(end, row, options.maxResultBytes())
    if (trace !== undefined) tellEnd(trace, outcome)
    return change({ status: 'result' in outcome ? 'completed' : 'failed' })
  }

  async function fail(error: unknown): Promise<void> {
    if (isOver(row) || isStopping()) return
    isLost = row.keeps_result && toFault(error).code === 'worker_lost'
    if (!isLost) await finish(toFailure(error))
  }

  async function ask(answer: FunctionReply & { kind: 'questions' }): Promise<void> {
    requireAskable(row.function_id, answer, call)
    // Who wants to know nothing is called again, and nobody is asked.
    if (isEmpty(answer.requests)) return await step(questions.pass(row.function_id, answer))
    const requests = questions.ask(answer)
    requireAskableInTask(row.function_id, requests)
    await change({ status: 'input_required', input_requests: requests })
  }

  return {
    get row() {
      return row
    },
    get outcome() {
      return outcome
    },
    get isLost() {
      return isLost
    },
    start: (answers) => void step(answers),
    async answer(responses, principal) {
      const taken = isOver(row) ? undefined : questions.answer(responses)
      if (taken === undefined) return
      if ('left' in taken) return change({ input_requests: taken.left })
      call = { ...call, principal: toAnswering(call.principal, principal) }
      await change({ status: 'working' })
      void step(taken.answers)
    },
    async cancel(message) {
      if (isOver(row)) return
      trace?.ended('given_up', 0)
      const saved = change({ status: 'cancelled', ...(message === undefined ? {} : { message }) })
      controller.abort(new RpcError(RPC.refused, 'The task was cancelled'))
      await saved
    },
  }
}

function tellEnd(trace: TaskTrace, end: TaskOutcome): void {
  if ('error' in end) trace.ended('error', 0, String(end.error.code))
  else trace.ended(end.result.isError === true ? 'error' : 'ok', Buffer.byteLength(JSON.stringify(end.result)))
}

/** Questions wait in engine state. */
const MAX_QUESTION_BYTES = 256 * 1024

function requireAskableInTask(functionId: string, requests: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(requests))
  if (bytes <= MAX_QUESTION_BYTES) return
  throw new Fault('too_large', `${functionId} asks too much at once (${bytes} bytes; at most ${MAX_QUESTION_BYTES})`)
}

/** A deadline counts from when a function is called, not from when its client first asked for it. */
function toTaskInvocation({ invocation, row, resultsScope: scope }: RunningTaskOptions): FunctionCall {
  const { startedAt: _, ...rest } = invocation
  return { ...rest, sidecar: { ...invocation.sidecar, task: { id: row.id, scope } } }
}
