import { randomInt } from 'node:crypto'
import { isRecord, type JsonObject } from '@iii/protocol'
import type { CancelSignal } from '@iii/sdk'
import type { Principal } from '../auth/principal.ts'
import type { HeardAnswer } from '../mcp/call.ts'
import { RPC, RpcError } from '../mcp/rpc.ts'

/** An answer that a client posted. */
export interface QuestionAnswer {
  readonly id: number
  readonly result?: unknown
  readonly error?: unknown
  /** Who posted it; undefined where another bridge does not say. */
  readonly by: Principal | undefined
}

/** What this server has asked its clients, each in its session. */
export interface SessionQuestions {
  /** Names this bridge in the ids of its questions. */
  readonly name: number
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
  /**
   * Hands an answer to the bridge that asked: a client talks to whichever has the route at the moment.
   *
   * @returns what that one says of it, see `answer`
   */
  readonly forward: (name: number, handle: string | undefined, answer: QuestionAnswer) => Promise<boolean>
}

interface Waiting {
  readonly handle: string
  readonly settle: (answer: Settled) => void
}

type Settled = HeardAnswer | { readonly refusal: RpcError }

/**
 * An id is a whole number of 31 bits that begins with the name of its bridge. Some clients read no text there and answer something else,
 * others no larger number. Questions of all calls at once are far fewer than a bridge has ids.
 */
const NAMES = 2 ** 15
const IDS = 2 ** 16

export function createQuestions({ forward }: QuestionsOptions): SessionQuestions {
  const name = randomInt(NAMES)
  const waiting = new Map<number, Waiting>()
  let count = 0

  function toFreeId(): number {
    for (;;) {
      const id = name * IDS + (++count % IDS)
      if (!waiting.has(id)) return id
    }
  }

  function ask({ handle, method, params, send, signals }: SessionQuestion): Promise<HeardAnswer> {
    return new Promise((resolve, reject) => {
      const id = toFreeId()
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
      if (isOver(signals)) return settle({ refusal: toReason(signals) })
      void send(toMessage({ id, method, params })).then((isSent) => {
        if (!isSent) settle({ refusal: new RpcError(RPC.refused, 'It has left') })
      })
    })
  }

  return {
    name,
    ask,
    async answer(handle, answer) {
      const question = waiting.get(answer.id)
      const { result, error, by } = answer
      if (question !== undefined) {
        if (question.handle !== handle) return false
        question.settle(error === undefined ? { result, by } : { refusal: toClientError(error) })
        return true
      }
      const asker = Math.floor(answer.id / IDS)
      return asker === name || asker < 0 || asker >= NAMES ? true : forward(asker, handle, answer)
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
