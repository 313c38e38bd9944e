import { setTimeout as sleep } from 'node:timers/promises'
import type { SocketConnection } from './connection.ts'
import type { HttpExchange } from './exchange.ts'
import type { Placeholders } from './placeholders.ts'

/** Where a trace is played. */
export interface PlaybackTarget {
  readonly url: string
  readonly httpUrl: string
  /** The restricted listener, for the traces that need one. */
  readonly restrictedUrl?: string | undefined
  /** Whether every connection says at once who it is, without a name: engine 0.23 holds back what it registers until then. */
  readonly introduced?: boolean
}

/** A trace while it is played. */
export interface Playback {
  readonly target: PlaybackTarget
  readonly names: Placeholders
  readonly connections: Map<string, SocketConnection>
  readonly exchanges: Map<string, HttpExchange>
}

/** The engine did something else than the trace says. */
export class TraceMismatch extends Error {
  override name = 'TraceMismatch'
}

export function failStep(text: string): never {
  throw new TraceMismatch(text)
}

/** How long to wait for what must come. */
export const PATIENCE_MS = 3000

/** Gives the engine time to notice that a connection is gone. */
export function settleEngine(): Promise<void> {
  return sleep(80)
}
