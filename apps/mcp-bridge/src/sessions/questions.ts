import { isRecord, type JsonObject } from '@iii/protocol'
import type { CancelSignal } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { HeardAnswer } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'

/** An answer that a client posted. */
export interface QuestionAnswer {
  readonly id: string
  readonly result?: unknown
  readonly error?: unknown
  /** Who posted it; undefined where another bridge does not say. */
  readonly by: Principal | undefined
}

/** What this server has asked its clients, each in its session. */
export interface SessionQuestions {
  /**
   * Asks and waits for the answer.
   *
   * @throws RpcError with the error of the client, or why there is none
   */
  ask(question: SessionQuestion): Promise<HeardAnswer>
  /**
   * Takes in what a client of this session has answered. What nobody asked here may be for another bridge.
   *
   * @param handle undefined where the client has no session, and can have been asked nothing
   * @returns false where another session was asked, and goes on being asked
   */
  answer(handle: string | undefined, answer: QuestionAnswer): Promise<boolean>
}

export interface SessionQuestion {
  /** Of the session. */
  readonly handle: string
  readonly method: string
  readonly params: JsonObject
  /** Brings a message to the client. @returns false when it cannot be brought */
  readonly send: (message: string) => Promise<boolean>
  /** Any of them ends the wait. */
  readonly signals: readonly CancelSignal[]
}

export interface QuestionsOptions {
  /** Names this bridge in the ids of its questions. */
  readonly name: string
  /**
   * Hands an answer to the bridge that asked: a client talks to whichever has the route at the moment.
   *
   * @returns what that one says of it, see `answer`
   */
  readonly forward: (name: string, handle: string | undefined, answer: QuestionAnswer) => Promise<boolean>
}

interface Waiting {
  readonly handle: string
  readonly settle: (answer: Settled) => void
}

type Settled = HeardAnswer | { readonly refusal: RpcError }

export function createQuestions({ name, forward }: QuestionsOptions): SessionQuestions {
  const waiting = new Map<string, Waiting>()
  let count = 0

  function ask({ handle, method, params, send, signals }: SessionQuestion): Promise<HeardAnswer> {
    return new Promise((resolve, reject) => {
      const id = `${name}/${++count}`
      const settle = (answer: Settled) => {
        waiting.delete(id)
        for (const signal of signals) signal.removeEventListener('abort', giveUp)
        if ('refusal' in answer) reject(answer.refusal)
        else resolve(answer)
      }
      const giveUp = (): void => {
        void send(toMessage({ method: 'notifications/cancelled', params: { requestId: id } }))
        settle({ refusal: toReason(signals) })
      }
      waiting.set(id, { handle, settle })
      for (const signal of signals) signal.addEventListener('abort', giveUp)
      if (isOver(signals)) return giveUp()
      void send(toMessage({ id, method, params })).then((isSent) => {
        if (!isSent) settle({ refusal: new RpcError(RPC.refused, 'It has left') })
      })
    })
  }

  return {
    ask,
    async answer(handle, answer) {
      const question = waiting.get(answer.id)
      const { result, error, by } = answer
      if (question !== undefined) {
        if (question.handle !== handle) return false
        question.settle(error === undefined ? { result, by } : { refusal: toClientError(error) })
        return true
      }
      const asker = answer.id.split('/', 1)[0]
      return asker && asker !== name ? forward(asker, handle, answer) : true
    },
  }
}

function toMessage(message: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', ...message })
}

function isOver(signals: readonly CancelSignal[]): boolean {
  return signals.some(({ aborted }) => aborted)
}

function toReason(signals: readonly CancelSignal[]): RpcError {
  const reason: unknown = signals.find(({ aborted }) => aborted)?.reason
  return reason instanceof RpcError ? reason : new RpcError(RPC.refused, 'The client did not answer in time')
}

function toClientError(error: unknown): RpcError {
  const { code, message, data } = isRecord(error) ? error : {}
  const text = typeof message === 'string' && message !== '' ? message : 'The client refused without a reason'
  return new RpcError(Number.isSafeInteger(code) ? Number(code) : RPC.internal, text, data)
}
