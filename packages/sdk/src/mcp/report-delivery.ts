import { type Fault, toFault } from '@iii/protocol'
import type { Worker } from '../worker/worker.ts'
import type { Report } from './report-queue.ts'

/** Brings reports to a bridge that may be slow, or gone. */
export interface ReportDelivery {
  /** Nothing is sent at the moment, or ever again. */
  readonly isQuiet: boolean
  /** Resolves when it has arrived, or will not. Never rejects. */
  send(report: Report): Promise<void>
  end(): void
}

export interface ReportTimings {
  /** Deadline of one message. */
  sendMs: number
  /** Nothing is tried for so long after a deadline has passed. */
  restMs: number
}

export interface ReportDeliveryOptions extends ReportTimings {
  worker: Pick<Worker, 'trigger' | 'log'>
  /** Where the bridge is. @default where the worker is */
  namespace: string | undefined
  /** Nobody listens any more once it fires. */
  signal: AbortSignal
}

export function createReportDelivery({
  worker,
  namespace,
  signal,
  sendMs,
  restMs,
}: ReportDeliveryOptions): ReportDelivery {
  let quietUntil = 0
  const isQuiet = () => signal.aborted || performance.now() < quietUntil

  function onFailed(functionId: string, { code, message }: Fault): void {
    // What is malformed is nothing that comes and goes: its author has to hear of it.
    const level = code === 'invalid_input' ? 'warn' : 'debug'
    worker.log[level]({ function_id: functionId, reason: message }, 'the client of a call was not told')
    if (code === 'deadline') quietUntil = performance.now() + restMs
    // The prefix of its functions belongs to one process, which does not come back.
    if (code === 'unavailable' || code === 'worker_lost') quietUntil = Number.POSITIVE_INFINITY
  }

  return {
    get isQuiet() {
      return isQuiet()
    },
    async send({ functionId, payload }) {
      if (isQuiet()) return
      const sent = worker.trigger({ function_id: functionId, namespace, payload, timeoutMs: sendMs })
      await sent.catch((error: unknown) => onFailed(functionId, toFault(error)))
    },
    end() {
      quietUntil = Number.POSITIVE_INFINITY
    },
  }
}
