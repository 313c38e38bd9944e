import type { ServerConfig } from './server-config.ts'

/** So long a call waits for a server that starts. */
export const READY_WAIT_MS = 5_000

/** How long a call may take in all: it waits for its place, for the server, and then for the answer; and is told which of them took too long. */
export function toCallTimeout({ concurrency, timeouts }: Pick<ServerConfig, 'concurrency' | 'timeouts'>): number {
  return concurrency.waitMs + READY_WAIT_MS + timeouts.callMs + 1_000
}
