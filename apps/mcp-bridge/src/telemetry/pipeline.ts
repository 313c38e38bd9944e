import type { Logger } from '@iii/sdk'
import type { RecordDenial } from '../auth/denied-access.ts'
import type { Meter } from '../mcp/contract.ts'
import { createCollector } from './collector.ts'
import type { TelemetryEnvironment } from './environment.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { formatMetrics, formatSpans, type SendingProcess } from './otlp.ts'
import { createRequestSpan, type OptionalAttribute, type RequestSpanOptions } from './request-span.ts'
import { createSpanQueue } from './span-queue.ts'

/** From requests to the collector. */
export interface Pipeline {
  readonly measure: NonNullable<Meter['measure']>
  readonly denied: RecordDenial
  sessionEnded(ms: number): void
  /** Somebody has searched tools. @param outcome `found` or `nothing` */
  searched(ms: number, outcome: string): void
  readonly count: Metrics['count']
  /** Sends what waits. */
  close(): Promise<void>
}

export interface PipelineOptions {
  readonly environment: TelemetryEnvironment
  readonly extra: () => readonly OptionalAttribute[]
  readonly sender: SendingProcess
  /** How many are open. */
  readonly streams: () => number
  readonly log: Logger
}

/** How long the last spans and numbers may take when this process stops. */
const FLUSH_MS = 500

export function createPipeline({ environment, extra, sender, streams, log }: PipelineOptions): Pipeline {
  const { tracesUrl, metricsUrl, headers, timeoutMs, spansEveryMs, metricsEveryMs, sampler } = environment
  const collector = createCollector({ headers, log })
  const metrics = createMetrics({ streams })
  const spans =
    tracesUrl === undefined
      ? undefined
      : createSpanQueue({ timeoutMs, delayMs: spansEveryMs, send: sendSpans(tracesUrl) })
  let counted = 0

  function sendSpans(url: string): Parameters<typeof createSpanQueue>[0]['send'] {
    return (batch, withinMs) => collector.send(url, formatSpans(batch, sender), withinMs)
  }

  async function sendMetrics(withinMs: number): Promise<void> {
    const dropped = spans?.dropped ?? 0
    if (dropped > counted) metrics.count('iii.mcp.telemetry.dropped', {}, dropped - counted)
    counted = dropped
    const all = metrics.collect()
    if (metricsUrl === undefined || all.length === 0) return
    await collector.send(metricsUrl, formatMetrics(all, sender), withinMs)
  }
  const timer = setInterval(() => void sendMetrics(Math.min(timeoutMs, metricsEveryMs)), metricsEveryMs).unref()

  const told: Omit<RequestSpanOptions, 'extra'> = {
    sampler: tracesUrl === undefined ? undefined : sampler,
    onSpan: (span) => spans?.add(span),
    onEnd: (ms, labels) => metrics.record('mcp.server.operation.duration', ms, labels),
    onDecision: (decision) =>
      metrics.count('iii.mcp.decisions', { decision: decision.allowed ? 'allow' : (decision.why ?? decision.reason) }),
    onOverloaded: () => metrics.count('iii.mcp.throttled', { reason: 'too-much-at-once' }),
    onTask: (outcome) => metrics.count('iii.mcp.tasks', { outcome }),
  }
  return {
    measure: (request) => createRequestSpan(request, { ...told, extra: extra() }),
    denied: ({ decision, reason }) =>
      metrics.count(decision === 'auth' ? 'iii.mcp.auth.failures' : 'iii.mcp.throttled', { reason }),
    count: metrics.count,
    searched: (ms, outcome) => metrics.record('iii.mcp.search.duration', ms, { outcome }),
    sessionEnded: (ms) => metrics.record('mcp.server.session.duration', ms, {}),
    async close() {
      clearInterval(timer)
      await Promise.all([spans?.flush(FLUSH_MS), sendMetrics(FLUSH_MS)])
    },
  }
}
