import type { JsonObject } from '@iii/protocol'
import type { Logger } from '@iii/sdk'
import type { McpCall } from './call.ts'
import type { RequestEnd } from './call-trace.ts'
import type { Params } from './params.ts'
import type { McpResult } from './rpc.ts'

/** Writes one line for each call of a tool: who called what, and how it went; never what was said. */
export interface CallLog {
  /** Starts the clock. */
  start(params: Params<'tools/call'>, call: McpCall): RequestEnd
}

const MAX_NAME_LENGTH = 64

export function createCallLog(log: Pick<Logger, 'info'>): CallLog {
  return {
    start({ name }, { client, signal }) {
      const startedAt = performance.now()
      const tool = typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH).toWellFormed() : undefined
      const write = (outcome: string, bytes: number) => {
        const ms = Math.round(performance.now() - startedAt)
        log.info({ tool, client: client?.name, outcome: signal.aborted ? 'given up' : outcome, ms, bytes }, 'tool call')
      }
      return {
        answered: (result, text) => write(toOutcome(result), Buffer.byteLength(text)),
        refused: ({ code }) => write(`refused ${code}`, 0),
      }
    },
  }
}

/** `ok`, `error`, or what the result is instead of an answer: `input_required`, `task`. */
function toOutcome(result: McpResult): string {
  const { resultType, isError } = result as JsonObject
  if (typeof resultType === 'string' && resultType !== 'complete') return resultType
  return isError === true ? 'error' : 'ok'
}
