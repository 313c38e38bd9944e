import { isRecord } from '@iii/protocol'
import type { Worker } from '@iii/sdk'

/** How long a plain reply may take: less than the engine waits, so that the client reads why and not just a 504. */
export interface EngineTimeout {
  /** The least of what this server and the engine's HTTP port wait. */
  readonly timeoutMs: number
  /** Asks the engine for its own limit. Never rejects: where it does not say, the default holds. */
  load(): Promise<void>
}

export interface EngineTimeoutOptions {
  /** What holds unless the engine waits less. */
  readonly longestMs: number
  /** For the question to the engine. */
  readonly askTimeoutMs: number
}

const SHARE = 0.8

export function createEngineTimeout(
  engine: Pick<Worker, 'trigger'>,
  { longestMs, askTimeoutMs }: EngineTimeoutOptions,
): EngineTimeout {
  const deadline = {
    timeoutMs: longestMs,
    async load() {
      const question = { function_id: 'configuration::get', payload: { id: 'iii-http' }, timeoutMs: askTimeoutMs }
      const answer: unknown = await engine.trigger(question).catch(() => undefined)
      const value = isRecord(answer) ? answer['value'] : undefined
      const limit = isRecord(value) ? value['default_timeout'] : undefined
      if (typeof limit === 'number' && limit > 0) deadline.timeoutMs = Math.min(longestMs, Math.floor(limit * SHARE))
    },
  }
  return deadline
}
