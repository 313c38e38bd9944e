import {
  CloseStream,
  Delivery,
  LogMessage,
  ProgressReport,
  toViaIds,
  VisibleAnswer,
  VisibleRequest,
} from '@iii/protocol'
import type { FunctionOptions, Worker } from '@iii/sdk'
import { seesAllRuns } from '../auth/decision.ts'
import { toToldPrincipal } from '../auth/principal.ts'
import type { Gate } from '../gate/index.ts'
import { readKey, toKey } from '../gate/sight.ts'
import type { BridgeOptions } from '../options.ts'
import type { RunningCall, RunningCalls } from './running-calls.ts'

/** A worker on a newer `@iii/sdk` may say more than this bridge knows. */
const OF_ANY_VERSION = { unknownKeys: 'ignore' } satisfies FunctionOptions

export interface WhileRunningOptions {
  /** The prefix under `mcp::` that belongs to this bridge process alone. */
  readonly via: string
  readonly calls: RunningCalls
  readonly gate: Pick<Gate, 'visible'>
  readonly options: () => Pick<BridgeOptions, 'maxResultBytes'>
}

/**
 * Puts on the engine what a function says to the client of its call while it runs: `VIA::progress`, `VIA::log`, `VIA::close-stream`.
 * What is said of a call that is over, or that nobody made, reaches nobody; that is an answer and no error.
 * `VIA::visible` tells which functions that client may see, and how much of a result, for those who show it what others did.
 */
export function serveWhileRunning(
  worker: Pick<Worker, 'registerFunction'>,
  { via, calls, gate, options }: WhileRunningOptions,
): void {
  const ids = toViaIds(via)
  async function tell(callId: string, say: (running: RunningCall) => Promise<boolean>): Promise<Delivery> {
    const running = calls.find(callId)
    return { delivered: running !== undefined && (await say(running)) }
  }
  const told = { response_format: Delivery, ...OF_ANY_VERSION }
  worker.registerFunction(
    ids.progress,
    ({ call_id, ...report }: ProgressReport) => tell(call_id, (running) => running.progress(report)),
    { description: 'How far an MCP call is, for its client.', request_format: ProgressReport, ...told },
  )
  worker.registerFunction(
    ids.log,
    ({ call_id, ...message }: LogMessage) => tell(call_id, (running) => running.log(message)),
    { description: 'A log message for the client of an MCP call.', request_format: LogMessage, ...told },
  )
  worker.registerFunction(
    ids.closeStream,
    ({ call_id }: CloseStream) => tell(call_id, (running) => running.closeStream()),
    {
      description: "Ends the stream of an MCP call's reply: its client comes back for the rest.",
      request_format: CloseStream,
      ...told,
    },
  )
  worker.registerFunction(
    ids.visible,
    async ({ call_id, function_ids }: VisibleRequest): Promise<VisibleAnswer> => {
      const running = calls.find(call_id)
      if (running === undefined) return { visible: [] }
      // As whatever else a function names without saying where.
      const keys = function_ids.map((id) => toKey({ namespace: running.namespace, id }))
      const visible = (await gate.visible(keys, running.principal)).map((key) => readKey(key).id)
      return { visible, ...toWho(running), max_result_bytes: options().maxResultBytes }
    },
    {
      description: 'Which of these functions may the client of an MCP call see?',
      request_format: VisibleRequest,
      response_format: VisibleAnswer,
      ...OF_ANY_VERSION,
    },
  )
}

/** Whom a call is made for, to those who show it what others did. */
function toWho({ session, principal: asker }: RunningCall): Omit<VisibleAnswer, 'visible'> {
  const principal = toToldPrincipal(asker)
  return {
    ...(session === undefined ? {} : { session }),
    ...(principal === undefined ? {} : { principal, runs: seesAllRuns(asker) ? 'all' : 'own' }),
  }
}
