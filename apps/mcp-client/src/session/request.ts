import { Fault } from '@iii/protocol'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Received } from '../transport/server-transport.ts'
import type { Notifications, ProgressEntry } from './notifications.ts'
import { RpcFailure } from './rpc-failure.ts'
import { type SessionEnd, toDiagnostic } from './session-end.ts'

/**
 * Asks the server and waits for its answer.
 *
 * @throws RpcFailure with what it answered instead of a result
 * @throws Fault `deadline`, `worker_lost`, `too_large` and `unavailable`; the reason of the signal when that fires
 */
export type Request = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  options: RequestOptions,
) => Promise<Answered>

export interface Answered {
  readonly result: unknown
  /** Of the line that brought it. */
  readonly bytes: number
}

export interface RequestOptions {
  readonly timeoutMs: number
  /** Gives it up; the server is told. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ProgressEntry) => void) | undefined
}

export interface RequestParts {
  readonly client: Client
  readonly notifications: Notifications
  readonly clock: Clock
  /** How the conversation ended, when it has. */
  end(): SessionEnd | undefined
}

const Passed = z.custom<Received>()
/** Longer than any deadline of ours, which the client must not meet first. */
export const NEVER_MS = 2 ** 31 - 1

export function createRequest({ client, notifications, clock, end }: RequestParts): Request {
  return async (method, params, { timeoutMs, signal, onProgress }) => {
    signal?.throwIfAborted()
    const onGivenUp = () => notifications.onGivenUp(timeoutMs)
    const patience = createPatience({ clock, timeoutMs, signal, onGivenUp })
    const progress = onProgress && notifications.follow(onProgress)
    const meta = progress && { _meta: { progressToken: progress.token } }
    try {
      const options = { signal: patience.signal, timeout: NEVER_MS }
      const { answer, bytes } = await client.request({ method, params: { ...params, ...meta } }, Passed, options)
      if ('error' in answer) throw new RpcFailure(answer.error)
      return { result: answer.result, bytes }
    } catch (error) {
      throw error instanceof RpcFailure ? error : patience.explain(error, end())
    } finally {
      patience.end()
      progress?.end()
    }
  }
}

interface PatienceOptions extends Pick<RequestOptions, 'timeoutMs' | 'signal'> {
  readonly clock: Clock
  onGivenUp(): void
}

/** The signal of one request, and why it fired. */
function createPatience({ clock, timeoutMs, signal, onGivenUp }: PatienceOptions) {
  const controller = new AbortController()
  let reason: unknown

  function giveUp(why: unknown): void {
    reason = why
    onGivenUp()
    controller.abort(why instanceof Error ? why.message : 'nobody waits for it any more')
  }

  const onAbort = () => giveUp(signal?.reason)
  const cancelTimer = clock.after(timeoutMs, () => giveUp(tookTooLong(timeoutMs)))
  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    /** What the client says of it is not what has happened. */
    explain(error: unknown, end: SessionEnd | undefined): unknown {
      if (reason !== undefined) return reason
      // The client would keep what it could not send.
      controller.abort()
      return error instanceof Fault ? error : new Fault('worker_lost', toLost(end), { cause: error })
    },
    end() {
      cancelTimer()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Whoever asks for less may have better luck, and does not know it otherwise. */
function toLost(end: SessionEnd | undefined): string {
  const lost = 'The server went away before it answered; whether it has done the work is not known'
  return end === undefined ? lost : `${lost}. ${toDiagnostic(end, 'later')[1]}`
}

function tookTooLong(ms: number): Fault {
  return new Fault(
    'deadline',
    `The server has not answered within ${ms / 1000} s and was told to stop; whether it has done the work is not known`,
  )
}
