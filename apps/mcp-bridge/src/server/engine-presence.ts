import { type JsonObject, toToolError } from '@iii/protocol'
import { type CancelSignal, toPublicUrl, type Worker } from '@iii/sdk'
import type { ListKind, McpCall } from '../mcp/call.ts'
import type { Params } from '../mcp/params.ts'
import { type McpResult, RPC, RpcError } from '../mcp/rpc.ts'

/** Whether the engine is there: a client that started this process may ask before it is, and after it has gone. */
export interface EnginePresence {
  /** Is there a connection? Waits a moment for one, once each time that it is gone. @returns false also when nobody waits any more */
  isThere(signal?: CancelSignal): Promise<boolean>
  /** Is it known what the engine has? Waits a moment for that. */
  isKnown(): Promise<boolean>
  /** A list of this kind was given out before that: when it is known, the client must hear that the list has changed. */
  owe(kind: ListKind): void
  /** Somebody looked at what the engine has. */
  looked(): void
  /** Why nothing can be done, in words for a client and its model. */
  readonly explanation: string
}

export interface EnginePresenceOptions {
  readonly worker: Pick<Worker, 'url' | 'state' | 'onStateChange'>
  /** Told the lists that were given out too early. */
  readonly onLate: (kinds: readonly ListKind[]) => void
  /** Many hosts look at a list once and never again, so it is worth a moment. @default 3000 */
  readonly patienceMs?: number
}

export function createEnginePresence({ worker, onLate, patienceMs = 3_000 }: EnginePresenceOptions): EnginePresence {
  const waiting = new Set<() => void>()
  const owed = new Set<ListKind>()
  let isKnown = false
  /** Who asks many things one after the other waits for the first of them alone. */
  let isPatient = true

  const recheck = () => {
    isPatient ||= worker.state === 'connected'
    for (const check of waiting) check()
  }
  worker.onStateChange(recheck)

  function wait(isIt: () => boolean, signal?: CancelSignal): Promise<boolean> {
    if (isIt() || !isPatient) return Promise.resolve(isIt())
    return new Promise((resolve) => {
      const settle = () => {
        waiting.delete(check)
        clearTimeout(timer)
        signal?.removeEventListener('abort', settle)
        resolve(isIt())
      }
      const check = () => isIt() && settle()
      const timer = setTimeout(() => {
        isPatient = false
        settle()
      }, patienceMs)
      waiting.add(check)
      signal?.addEventListener('abort', settle)
      if (signal?.aborted) settle()
    })
  }

  return {
    isThere: (signal) => wait(() => worker.state === 'connected', signal),
    isKnown: () => wait(() => isKnown),
    owe: (kind) => void owed.add(kind),
    looked() {
      isKnown = true
      recheck()
      if (owed.size === 0) return
      onLate([...owed])
      owed.clear()
    },
    explanation: [
      `The iii engine at ${toPublicUrl(worker.url)} cannot be reached. This server keeps trying to connect:`,
      'try again when the engine has been started. If it runs, the log of this server says why it is refused.',
    ].join(' '),
  }
}

/** What a method answers while the engine is away; undefined for what it answers when it is there. */
export type WhileAway = (
  presence: EnginePresence,
  params: JsonObject,
  call: McpCall,
) => McpResult | undefined | Promise<McpResult | undefined>

/** It needs no engine. */
export const works: WhileAway = () => undefined

/** An error says that the engine is away. */
export const refuses: WhileAway = async (presence, _, { signal }) => {
  if (await presence.isThere(signal)) return undefined
  throw new RpcError(RPC.internal, presence.explanation)
}

/** The same as the result of a tool, which a model reads, but for calls that need no engine. */
export function answersModel(worksAlone: (params: Params<'tools/call'>) => boolean): WhileAway {
  return async (presence, params, { signal }) =>
    worksAlone(params) || (await presence.isThere(signal)) ? undefined : { ...toToolError(presence.explanation) }
}

/**
 * Of what was never known there is what the bridge has of its own for now.
 *
 * @param later what is answered when it was known once, and cannot be asked for now
 */
export function listsInstead(
  kind: ListKind,
  builtIn: (call: McpCall) => McpResult,
  later: WhileAway = works,
): WhileAway {
  return async (presence, params, call) => {
    if (await presence.isKnown()) return later(presence, params, call)
    presence.owe(kind)
    return builtIn(call)
  }
}
