import { createSlotMap, type SlotMap, within } from '@iii/sdk'
import type { McpServer } from '../mcp/contract.ts'
import {
  CANCELLED,
  createExchange,
  LEFT,
  type Line,
  type RequestUnderWay,
  STOPPING,
  toMcpCall,
} from '../mcp/exchange.ts'
import { formatRpcError, formatRpcResult, RpcError } from '../mcp/rpc.ts'
import type { Identified, RpcRequest } from '../sessions/callers.ts'
import type { SessionQuestions } from '../sessions/questions.ts'
import type { LineWriter } from './line-writer.ts'

/** The requests of a connection that are under way. */
export interface Requests {
  /** Works on one; the reply goes out when it is there, and none for a request that was cancelled meanwhile. */
  run(request: RpcRequest, who: Identified): void
  /** Those of the moment. */
  readonly calls: SlotMap<number, RequestUnderWay>
  /** A message has come. A client reads a reply before it goes on; a script that is piped in does not wait for one. */
  hear(): void
  /**
   * The client has closed its end. It hears nothing more, and some clients fail when they do. A script that has said everything at once
   * reads on: what it asked for in the same breath is answered, if only with what is known of it when this process ends.
   */
  hangUp(): void
  /** Gives them a moment, then gives them up. Resolves when each has its reply, or needs none. */
  close(graceMs: number): Promise<void>
}

export interface RequestsOptions {
  readonly server: McpServer
  readonly questions: SessionQuestions
  readonly writer: Pick<LineWriter, 'send'>
}

interface Running extends RequestUnderWay {
  readonly done: Promise<void>
  readonly startedAt: number
}

/** A script that writes its requests and closes does it within this time, on a busy machine too. */
const SAME_BREATH_MS = 500
/** Clients on the official SDK 1.x drop a message about a request that comes in one read with its reply. */
const APART_MS = 10
/** There is no stream to be opened for a reply, and so none to be late for. */
const NEVER_MS = 2 ** 31 - 1

export function createRequests({ server, questions, writer: { send } }: RequestsOptions): Requests {
  const running = createSlotMap<number, Running>()
  let begun = 0
  let hasReplied = false
  let isDeaf = false
  let heard = 0
  let isScript = true
  return {
    calls: running,
    hear() {
      heard += 1
      if (heard === 2) isScript = !hasReplied
    },
    run({ id, method, params }, { caller, live }) {
      const line = createLine(send)
      const exchange = createExchange({
        open: () => line,
        ask: live && ((question) => questions.ask({ ...question, handle: live.facts.handle })),
        silenceMs: NEVER_MS,
        plainMs: NEVER_MS,
      })
      const { signal, reach, abort } = exchange
      begun += 1
      const nth = begun
      const done = exchange
        .settle(server.handle(method, params, toMcpCall(caller, { signal, reach })))
        .then(async (outcome) => {
          await exchange.end(undefined)
          if (outcome === CANCELLED || outcome === LEFT || isDeaf) return
          hasReplied = true
          await line.settled()
          await send(outcome instanceof RpcError ? formatRpcError(id, outcome) : formatRpcResult(id, outcome))
        })
        .finally(() => running.delete(nth))
      running.set(nth, { id, done, startedAt: performance.now(), abort })
    },
    hangUp() {
      isDeaf = !isScript
      const breathBegan = performance.now() - SAME_BREATH_MS
      for (const { startedAt, abort } of running.values()) if (isDeaf || startedAt < breathBegan) abort(LEFT)
    },
    async close(graceMs) {
      const replies = () => Promise.all(running.values().map(({ done }) => done))
      await within(graceMs, replies())
      for (const { abort } of running.values()) abort(isDeaf ? LEFT : STOPPING)
      await replies()
    },
  }
}

/** What precedes a reply goes the way of everything else. */
function createLine(send: LineWriter['send']): Line & { settled(): Promise<unknown> | undefined } {
  let sentAt = Number.NEGATIVE_INFINITY
  return {
    send(message) {
      sentAt = performance.now()
      return send(message)
    },
    comment() {},
    pause: () => Promise.resolve(false),
    end: () => Promise.resolve(true),
    settled() {
      const restMs = sentAt + APART_MS - performance.now()
      return restMs > 0 ? new Promise((resolve) => setTimeout(resolve, restMs)) : undefined
    },
  }
}
