import type { CancelSignal, ChannelRef } from '@iii/sdk'
import type { McpServer } from '../mcp/contract.ts'
import { isResumable } from '../mcp/era.ts'
import {
  type AskBy,
  CANCELLED,
  createExchange,
  ENDED,
  type Exchange,
  LEFT,
  type Line,
  type LineListener,
  STOPPING,
  toMcpCall,
} from '../mcp/exchange.ts'
import { formatRpcError, formatRpcResult, RPC, RpcError } from '../mcp/rpc.ts'
import type { CallOrigin, Identified, RpcRequest } from '../sessions/callers.ts'
import type { LiveSession, Sessions } from '../sessions/index.ts'
import type { SessionQuestions } from '../sessions/questions.ts'
import { type StreamEnd, toLine } from './event-stream.ts'
import type { PendingReplies } from './pending-replies.ts'
import { type HeaderFields, type HttpReply, type ReplyWriter, toEmptyReply } from './reply.ts'
import type { SessionStreams } from './session-streams.ts'
import type { EventStreams } from './streams.ts'
import { RETRY_MS } from './track.ts'
import type { Tracks } from './tracks.ts'

export interface AnswerOptions {
  readonly server: McpServer
  readonly sessions: Sessions
  readonly streams: EventStreams
  readonly sessionStreams: Pick<SessionStreams, 'toldLine'>
  readonly replies: Pick<PendingReplies, 'expect'>
  readonly tracks: Tracks
  readonly questions: SessionQuestions
  /** So long nothing may come of a request before a stream is opened for its reply. */
  readonly silenceMs: number
}

interface Asked {
  readonly rpc: RpcRequest
  readonly who: Identified
  /** Where the reply may be streamed to; undefined when it must be a plain one. */
  readonly ref: ChannelRef | undefined
  readonly write: ReplyWriter
}

/** Answers a request of somebody who is known. @returns null where a stream has carried the reply */
export type AnswerRequest = (asked: Asked) => Promise<HttpReply | null>

/** A client that was away for a moment may come back for its reply; until then its call goes on. The Go SDK takes up to two seconds where nothing is said. */
const ABSENCE_MS = 3 * RETRY_MS

export function createAnswer({
  server,
  sessions,
  streams,
  sessionStreams,
  replies,
  tracks,
  questions,
  silenceMs,
}: AnswerOptions): AnswerRequest {
  let begun = 0

  function openFor({ rpc, who: { live, caller }, write }: Asked, ref: ChannelRef, own: HeaderFields | undefined) {
    return ({ giveUp, onUnopened }: LineListener): Line | undefined => {
      const onAbandoned = () => giveUp(LEFT)
      const owner = live?.facts.handle
      const headers = { ...write.headers, ...own }
      const open = (onOver: (how: StreamEnd) => void) =>
        streams.open({ ref, owner, principal: caller.principal, headers, isForReply: true, onOver })
      if (live === undefined || !comesBack(live)) {
        const stream = open((how) => (how === 'unopened' ? onUnopened() : onAbandoned()))
        return stream && toLine(stream)
      }
      const track = tracks.begin(live, { request: rpc.id, graceMs: ABSENCE_MS, onAbandoned, onUnopened })
      if (track.carry(open)) return track
      void track.end()
      return undefined
    }
  }

  function begin(asked: Asked, headers: HeaderFields | undefined): Exchange {
    const { caller, live } = asked.who
    const { ref } = asked
    const { plainMs } = caller.limits
    return createExchange({
      open: ref && openFor(asked, ref, headers),
      canPause: comesBack(live),
      ask: live && askIn(live),
      silenceMs: Math.min(silenceMs, plainMs / 2),
      plainMs,
    })
  }

  function askIn(live: LiveSession): AskBy {
    return (question) => {
      // Who gives up a call may have left its stream, and is told where it listens that nothing is asked any more.
      const line = () => (isUnread(question.signals) ? sessionStreams.toldLine(live) : undefined) ?? question
      return questions.ask({ ...question, send: (text) => line().send(text), handle: live.facts.handle })
    }
  }

  /** @returns the text of the result, or what went wrong */
  async function run({ rpc, who: { caller, live } }: Asked, exchange: Exchange): Promise<string | RpcError> {
    const { id, method, params } = rpc
    const { signal, reach, abort } = exchange
    begun += 1
    const nth = begun
    live?.calls.set(nth, { id, abort })
    const reply = exchange.settle(server.handle(method, params, toMcpCall(caller, { signal, reach })))
    const isThere = replies.expect(() => abort(STOPPING))
    const outcome = await reply
    isThere()
    live?.calls.delete(nth)
    if (live !== undefined && typeof outcome === 'string') live.hasFinishedARequest = true
    return outcome
  }

  return async (asked) => {
    const { rpc, who, write } = asked
    const { id } = rpc
    const headers = who.opening && { 'mcp-session-id': sessions.mint(who.opening, who.caller.principal) }
    const exchange = begin(asked, headers)
    const outcome = await run(asked, exchange)
    if (outcome === CANCELLED || outcome === ENDED) return endUnwanted(asked, exchange, outcome)
    const failed = outcome instanceof RpcError
    const message = failed ? formatRpcError(id, outcome) : formatRpcResult(id, outcome)
    if (await exchange.end(message)) return null
    return failed ? write.error(toStatus(outcome, who.caller), id, outcome) : write.message(200, message, headers)
  }
}

/** Does the client not want the reply any more, though its session goes on? */
function isUnread(signals: readonly CancelSignal[]): boolean {
  return signals.some(({ reason }) => reason === CANCELLED || reason === LEFT)
}

function comesBack(live: LiveSession | undefined): boolean {
  return live !== undefined && isResumable(live.facts.revision)
}

/** Nobody wants the reply. But a client that can come back for one would do so for ever if there were none, unless its session is over. */
async function endUnwanted(
  { rpc, who: { live } }: Asked,
  exchange: Exchange,
  why: RpcError,
): Promise<HttpReply | null> {
  const isAwaited = why !== ENDED && comesBack(live)
  const isStream = await exchange.end(isAwaited ? formatRpcError(rpc.id, why) : undefined)
  return isStream ? null : toEmptyReply(202)
}

/** In the older revisions an error is an answer like any other; 2026-07-28 gives some a status of their own. */
export function toStatus({ code }: RpcError, who: CallOrigin | undefined): number {
  if (code === RPC.sessionNotFound) return 404
  if (code === RPC.overloaded) return 429
  if (code === RPC.internal) return 200
  if (who === undefined || code === RPC.missingCapability || code === RPC.headerMismatch) return 400
  return who.era === 'stateless' && code === RPC.methodNotFound ? 404 : 200
}
