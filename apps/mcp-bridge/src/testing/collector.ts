import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { startHttpServer } from './http-server.ts'

/** An OpenTelemetry collector in this process: OTLP over HTTP as JSON. What is not as OTLP has it, it refuses and keeps. */
export interface TestCollector extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** The metrics as they came last, by their names. */
  readonly metrics: ReadonlyMap<string, CollectedMetric>
  readonly resources: readonly Record<string, unknown>[]
  /** Bodies and headers as they came. */
  readonly posts: readonly { path: string; headers: IncomingHttpHeaders; body: string }[]
  /** What was wrong with them. */
  readonly mistakes: readonly string[]
  /** From now on it answers so; `never` leaves requests open. @default 200 */
  answer: number | 'never'
}

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { traceId: string; spanId: string }[]
  readonly isError: boolean
  readonly traceState: string | undefined
  /** Milliseconds. */
  readonly startedAt: number
  readonly ms: number
}

export interface CollectedMetric {
  readonly unit: string
  readonly points: readonly { labels: Readonly<Record<string, unknown>>; value: number; sum: number | undefined }[]
}

export async function startCollector(): Promise<TestCollector> {
  const spans: CollectedSpan[] = []
  const metrics = new Map<string, CollectedMetric>()
  const resources: Record<string, unknown>[] = []
  const posts: { path: string; headers: IncomingHttpHeaders; body: string }[] = []
  const mistakes: string[] = []

  function takeTraces(body: unknown): void {
    for (const { resource, scopeSpans } of Traces.parse(body).resourceSpans) {
      resources.push(toRecord(resource.attributes))
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map(toSpan)))
    }
  }

  function takeMetrics(body: unknown): void {
    for (const { resource, scopeMetrics } of Metrics.parse(body).resourceMetrics) {
      resources.push(toRecord(resource.attributes))
      for (const metric of scopeMetrics.flatMap((scope) => scope.metrics)) metrics.set(metric.name, toMetric(metric))
    }
  }

  function take(path: string, body: unknown): void {
    if (path === '/v1/traces') takeTraces(body)
    else if (path === '/v1/metrics') takeMetrics(body)
    else throw new Error(`nothing is at ${path}`)
  }

  const server = await startHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const post = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() }
      posts.push(post)
      if (collector.answer === 'never') return
      if (collector.answer !== 200) return void response.writeHead(collector.answer).end()
      try {
        take(post.path, JSON.parse(post.body))
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}')
      } catch (error) {
        mistakes.push(String(error))
        response.writeHead(400).end()
      }
    })
  })
  const collector: TestCollector = {
    ...{ url: server.url, spans, metrics, resources, posts, mistakes, answer: 200 },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return collector
}

const Value = z.union([z.strictObject({ stringValue: z.string() }), z.strictObject({ doubleValue: z.number() })])
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value }))
const Nanos = z.string().regex(/^\d{19}$/)
const TraceId = z.string().regex(/^[0-9a-f]{32}$/)
const SpanId = z.string().regex(/^[0-9a-f]{16}$/)
const Count = z.string().regex(/^\d+$/)
const Resource = z.strictObject({ attributes: Attributes })
const Scope = z.strictObject({ name: z.string(), version: z.string() })

const SpanRow = z.strictObject({
  traceId: TraceId,
  spanId: SpanId,
  traceState: z.string().optional(),
  parentSpanId: SpanId.optional(),
  flags: z.int().optional(),
  name: z.string().min(1),
  kind: z.literal(2),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  attributes: Attributes,
  links: z.array(z.strictObject({ traceId: TraceId, spanId: SpanId })).optional(),
  status: z.strictObject({ code: z.literal(2).optional() }),
})
const Traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: Resource,
      scopeSpans: z.array(z.strictObject({ scope: Scope, spans: z.array(SpanRow) })),
    }),
  ),
})

const times = { attributes: Attributes, startTimeUnixNano: Nanos, timeUnixNano: Nanos }
const Metric = z.strictObject({
  name: z.string(),
  description: z.string(),
  unit: z.string(),
  histogram: z
    .strictObject({
      aggregationTemporality: z.literal(2),
      dataPoints: z.array(
        z.strictObject({
          ...times,
          count: Count,
          sum: z.number(),
          min: z.number(),
          max: z.number(),
          bucketCounts: z.array(Count),
          explicitBounds: z.array(z.number()),
        }),
      ),
    })
    .optional(),
  sum: z
    .strictObject({
      aggregationTemporality: z.literal(2),
      isMonotonic: z.boolean(),
      dataPoints: z.array(z.strictObject({ ...times, asInt: Count })),
    })
    .optional(),
  gauge: z.strictObject({ dataPoints: z.array(z.strictObject({ ...times, asInt: Count })) }).optional(),
})
const Metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource: Resource,
      scopeMetrics: z.array(z.strictObject({ scope: Scope, metrics: z.array(Metric) })),
    }),
  ),
})

function toRecord(attributes: z.infer<typeof Attributes>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

function toSpan(row: z.infer<typeof SpanRow>): CollectedSpan {
  const { traceId, spanId, parentSpanId, name, attributes, links = [], status, traceState } = row
  const [startedAt, endedAt] = [row.startTimeUnixNano, row.endTimeUnixNano].map((nanos) => Number(nanos) / 1e6)
  const rest = { attributes: toRecord(attributes), links, isError: status.code === 2, traceState }
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    ...rest,
    startedAt: startedAt ?? 0,
    ms: (endedAt ?? 0) - (startedAt ?? 0),
  }
}

function toMetric({ unit, histogram, sum, gauge }: z.infer<typeof Metric>): CollectedMetric {
  const distributions = histogram?.dataPoints.map(({ attributes, count, sum: total }) => {
    return { labels: toRecord(attributes), value: Number(count), sum: total }
  })
  const numbers = (sum ?? gauge)?.dataPoints.map(({ attributes, asInt }) => {
    return { labels: toRecord(attributes), value: Number(asInt), sum: undefined }
  })
  return { unit, points: distributions ?? numbers ?? [] }
}
