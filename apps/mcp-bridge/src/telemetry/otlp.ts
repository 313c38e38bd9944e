import type { SpanContext } from './trace-context.ts'

/** OTLP as JSON (OpenTelemetry protocol 1, "JSON Protobuf Encoding"): ids in hexadecimal, 64-bit numbers as text. */

export type Attributes = Readonly<Record<string, string | number | undefined>>

/** A span that is over. */
export interface Span {
  readonly name: string
  readonly context: SpanContext
  readonly parentId: string | undefined
  readonly state: string | undefined
  readonly links: readonly SpanContext[]
  /** Milliseconds of `Date.now()`. */
  readonly startedAt: number
  readonly ms: number
  readonly attributes: Attributes
  readonly isError: boolean
}

/** What a process says of itself with all that it sends. */
export interface SendingProcess {
  readonly resource: Readonly<Record<string, string>>
  readonly version: string
}

const SERVER = 2
const FAILED = 2
/** The parent lies in another process, or is not known to. */
const REMOTE_PARENT = 0x300

export function formatSpans(spans: readonly Span[], sender: SendingProcess): string {
  const scopeSpans = [{ scope: toScopeName(sender), spans: spans.map(toSpan) }]
  return JSON.stringify({ resourceSpans: [{ resource: toResource(sender), scopeSpans }] })
}

/** @param metrics in the form of OTLP */
export function formatMetrics(metrics: readonly object[], sender: SendingProcess): string {
  const scopeMetrics = [{ scope: toScopeName(sender), metrics }]
  return JSON.stringify({ resourceMetrics: [{ resource: toResource(sender), scopeMetrics }] })
}

function toSpan(span: Span): object {
  const { name, context, parentId, state, links, startedAt, ms, attributes, isError } = span
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(state === undefined ? {} : { traceState: state }),
    ...(parentId === undefined ? {} : { parentSpanId: parentId, flags: REMOTE_PARENT | 1 }),
    name,
    kind: SERVER,
    startTimeUnixNano: toNanoText(startedAt),
    endTimeUnixNano: toNanoText(startedAt + ms),
    attributes: toAttributeRows(attributes),
    ...(links.length === 0 ? {} : { links: links.map(({ traceId, spanId }) => ({ traceId, spanId })) }),
    status: isError ? { code: FAILED } : {},
  }
}

/** @param ms milliseconds of `Date.now()`, with their fraction */
export function toNanoText(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n)
}

export function toAttributeRows(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return []
    return [{ key, value: typeof value === 'number' ? { doubleValue: value } : { stringValue: value.toWellFormed() } }]
  })
}

function toResource({ resource }: SendingProcess): object {
  return { attributes: toAttributeRows(resource) }
}

function toScopeName({ version }: SendingProcess): object {
  return { name: '@iii/mcp', version }
}
