import { createHash } from 'node:crypto'
import { cutUtf8, Fault, isRecord, toFault } from '@iii/protocol'
import { toCanonicalJson } from '@iii/protocol/canonical-json'
import type { CancelSignal } from '@iii/sdk'
import type { InputRequests, InputRequiredResult, InputResponses } from '@modelcontextprotocol/server'
import type { Principal } from '../auth/principal.ts'
import type { McpCall, Reach } from '../mcp/call.ts'
import type { CallParams } from '../mcp/params.ts'
import { invalidParams, RPC, RpcError } from '../mcp/rpc.ts'
import type { Seal } from '../sessions/request-state-seal.ts'
import type { Deadline } from './call-deadline.ts'
import type { FunctionQuestions, FunctionReply } from './function-reply.ts'
import { checkQuestions, findMissing, isAnswer, toSessionParams } from './questions.ts'
import type { RoundAnswers } from './sidecar.ts'

/** What a call brings in the end: a value, or a result with questions that the client answers in another request. */
export type CallReply =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'input_required'; readonly result: InputRequiredResult }

/** Whose questions they are, and who is asked. */
interface Asked {
  readonly functionId: string
  readonly call: McpCall
  /** Those of the request. */
  readonly params: CallParams
}

export interface Conversation extends Asked {
  readonly deadline: Deadline
  /** Invokes the function again, as whoever has answered. */
  readonly invoke: (answers: RoundAnswers, by: Principal | undefined) => Promise<FunctionReply>
}

/** What a function returned that wants to know something first. */
type WithQuestions = FunctionReply & { kind: 'questions' }

/** A function that never has enough has to end at some time. */
export const MAX_ROUNDS = 8
/** A person has so long for a question. */
const PATIENCE_MS = 600_000

/** The question is the result, the answer a request of its own, and what the function wants to keep travels along, sealed. */
export function askByResult(reply: WithQuestions, { functionId, call, params }: Asked, seal: Seal): CallReply {
  const { requests, state } = reply
  requireAskable(functionId, reply, call)
  // What they are has been checked.
  const inputRequests = requests as InputRequests
  const requestState =
    state === undefined ? {} : { requestState: seal.seal(state, toContext({ functionId, call, params })) }
  return { kind: 'input_required', result: { resultType: 'input_required', inputRequests, ...requestState } }
}

/** The client is asked while its request waits, until the function has what it wants to know; what it wants to keep stays here. */
export async function askInline(first: WithQuestions, conversation: Conversation): Promise<CallReply> {
  const { functionId, call, deadline, invoke } = conversation
  let reply: FunctionReply = first
  for (let round = 0; reply.kind === 'questions'; round += 1) {
    const { requests, state } = reply
    requireAskable(functionId, reply, call)
    const ask = isEmpty(requests) ? NOBODY : call.reach.ask
    if (ask === undefined) throw cannotBeAsked(functionId, requests)
    if (round === MAX_ROUNDS) throw askedTooOften(functionId)
    const { responses, by } = await deadline.hold(() => askAll(requests, ask, call.signal))
    reply = await invoke({ responses, state }, by)
  }
  return reply
}

/** Who wants to know nothing needs nobody who answers. */
const NOBODY: NonNullable<Reach['ask']> = () => Promise.resolve({ result: undefined, by: undefined })

export function isEmpty(requests: FunctionQuestions): boolean {
  return Object.keys(requests).length === 0
}

export function askedTooOften(functionId: string): Fault {
  const text = `${functionId} has asked ${MAX_ROUNDS} times and still wants to know more; that is the limit`
  return new Fault('internal', text)
}

/** @throws Fault for questions that are none, and for a client that cannot be asked them; RpcError for it in 2026-07-28 */
export function requireAskable(
  functionId: string,
  { requests, state }: FunctionReply & { kind: 'questions' },
  call: McpCall,
): void {
  checkQuestions(functionId, requests)
  if (state === undefined && isEmpty(requests)) {
    throw new Fault(
      'internal',
      `${functionId} asks the client nothing, and keeps nothing: it would be asked the same again`,
    )
  }
  const requiredCapabilities = findMissing(requests, call.capabilities)
  if (requiredCapabilities === undefined) return
  if (call.era !== 'stateless') throw cannotBeAsked(functionId, requests)
  const text = `${functionId} has to ask the client (${toMethods(requests)}), which did not declare that it can be asked`
  throw new RpcError(RPC.missingCapability, text, { requiredCapabilities })
}

function cannotBeAsked(functionId: string, requests: FunctionQuestions): Fault {
  const messages = Object.values(requests).map(({ params }) => params?.['message'])
  const shown = messages.filter((message) => typeof message === 'string').map((message) => `"${cutUtf8(message, 500)}"`)
  const what = shown.length === 0 ? '' : ` It would be asked: ${shown.join(', ')}.`
  const text = `${functionId} has to ask the client first (${toMethods(requests)}), and this client cannot be asked here.${what}`
  return new Fault('unavailable', `${text} Nothing else is known of what it did.`)
}

function toMethods(requests: FunctionQuestions): string {
  return [...new Set(Object.values(requests).map(({ method }) => method))].join(', ')
}

/** @throws Fault when one of the questions gets no answer; the others are given up then */
async function askAll(
  requests: FunctionQuestions,
  ask: NonNullable<Reach['ask']>,
  gone: CancelSignal,
): Promise<{ responses: InputResponses; by: Principal | undefined }> {
  const over = new AbortController()
  const tooLate = AbortSignal.timeout(PATIENCE_MS)
  const onGone = () => over.abort(gone.reason)
  gone.addEventListener('abort', onGone)
  if (gone.aborted) onGone()
  const signal = AbortSignal.any([tooLate, over.signal])
  let by: Principal | undefined
  try {
    const entries = Object.entries(requests).map(async ([key, { method, params }]) => {
      const { result: response, by: last } = await ask(method, toSessionParams(params), signal).catch(
        (error: unknown) => {
          const why = tooLate.aborted ? `nobody answered within ${PATIENCE_MS / 1000} s` : toFault(error).message
          throw new Fault('unavailable', `The client gave no answer (${method}): ${why}`, { cause: error })
        },
      )
      by = last
      if (isAnswer(response, method)) return [key, response] as const
      throw new Fault('unavailable', `The client was asked (${method}), and its answer cannot be read`)
    })
    return { responses: Object.fromEntries(await Promise.all(entries)), by }
  } finally {
    gone.removeEventListener('abort', onGone)
    over.abort()
  }
}

/** What the answers of a 2026-07-28 request are. @throws RpcError for what is malformed, and for a state that is not ours */
export async function readRetry(asked: Asked, seal: Seal): Promise<RoundAnswers> {
  const { params } = asked
  const { inputResponses: responses = {}, requestState } = params
  if (!isRecord(responses)) throw invalidParams("'inputResponses' must be an object")
  const answers = Object.entries(responses).map(([key, response]) => {
    if (isAnswer(response)) return [key, response] as const
    throw invalidParams(`'inputResponses.${key.slice(0, 64)}' is no answer to a question that MCP has`)
  })
  const given = { responses: Object.fromEntries(answers) }
  if (requestState === undefined) return { ...given, state: undefined }
  const state = await seal.open(requestState, toContext(asked))
  if (state === undefined) {
    throw invalidParams(
      "'requestState' was not given by this server for this request, or is too old; call again without it",
    )
  }
  return { ...given, state }
}

/** What a state belongs to: this very request of this very principal. Keys may come back in another order. */
function toContext({ functionId, call: { principal }, params }: Asked): string {
  const hash = createHash('sha256')
    .update(toCanonicalJson(params.arguments ?? {}))
    .digest('base64')
  const whose = principal.method === 'off' ? [] : [principal.id]
  return JSON.stringify([functionId, params.name ?? null, params['uri'] ?? null, hash, ...whose])
}
