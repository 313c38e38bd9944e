import { within } from '@iii/sdk'
import type { Span } from './otlp.ts'

/** Spans on their way to a collector. Nobody waits for it: what is too much is left out and counted. */
export interface SpanQueue {
  add(span: Span): void
  /** How many were left out since the start. */
  readonly dropped: number
  /** Sends what waits. Resolves after that many milliseconds at the latest. */
  flush(withinMs: number): Promise<void>
}

export interface SpanQueueOptions {
  /** Never rejects. @returns what became of them */
  readonly send: (spans: readonly Span[], timeoutMs: number) => Promise<'taken' | 'later' | 'refused'>
  /** How long the collector may take for a batch. */
  readonly timeoutMs: number
  /** @default 5000 */
  readonly delayMs?: number
  /** @default 512 */
  readonly batchSize?: number
  /** @default 2048 */
  readonly most?: number
}

const LONGEST_DELAY_MS = 60_000

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { send, timeoutMs, delayMs = 5_000, batchSize = 512, most = 2_048 } = options
  let waiting: Span[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<boolean> | undefined
  let nextDelayMs = delayMs

  function plan(): void {
    timer ??= setTimeout(() => void drain(), nextDelayMs).unref()
  }

  /** @returns whether the collector takes more */
  async function sendBatch(withinMs: number): Promise<boolean> {
    const batch = waiting.slice(0, batchSize)
    waiting = waiting.slice(batchSize)
    const outcome = await send(batch, withinMs)
    if (outcome === 'taken') nextDelayMs = delayMs
    else nextDelayMs = Math.min(LONGEST_DELAY_MS, nextDelayMs * 2)
    if (outcome === 'refused') dropped += batch.length
    if (outcome === 'later') keep(batch)
    return outcome === 'taken'
  }

  /** What was not taken comes first again; the newest give way. */
  function keep(batch: readonly Span[]): void {
    const all = [...batch, ...waiting]
    dropped += Math.max(0, all.length - most)
    waiting = all.slice(0, most)
  }

  async function drain(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (sending !== undefined) return
    do {
      sending = sendBatch(timeoutMs)
    } while ((await sending) && waiting.length >= batchSize)
    sending = undefined
    if (waiting.length > 0) plan()
  }

  return {
    get dropped() {
      return dropped
    },
    add(span) {
      if (waiting.length >= most) {
        dropped += 1
        return
      }
      waiting.push(span)
      if (waiting.length === batchSize && nextDelayMs === delayMs) void drain()
      else plan()
    },
    async flush(withinMs) {
      clearTimeout(timer)
      timer = undefined
      const endsAt = performance.now() + withinMs
      if (sending !== undefined) await within(withinMs, sending)
      while (waiting.length > 0 && endsAt - performance.now() > 1) {
        if (!(await sendBatch(endsAt - performance.now()))) return
      }
    },
  }
}
