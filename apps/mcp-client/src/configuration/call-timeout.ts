import type { ServerConfig } from './server-config.ts'

/** So long a call waits for a server that starts. */
export const READY_WAIT_MS = 5_000

/**
 * How long a call may take in all: it waits for its place, for the server, and then for the answer; and is told which of them took too long.
 *
 * @param answerMs for all that the server is asked
 */
export function toCallTimeout({ concurrency, timeouts }: CallTimes, answerMs = timeouts.callMs): number {
  return concurrency.waitMs + READY_WAIT_MS + answerMs + 1_000
}

type CallTimes = Pick<ServerConfig, 'concurrency' | 'timeouts'>
