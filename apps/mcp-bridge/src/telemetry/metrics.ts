import { type Attributes, toAttributeRows, toNanoText } from './otlp.ts'

/** Numbers that grow while a process runs, by a few labels. They are kept as OTLP wants them: cumulative. */
export interface Metrics {
  /** Adds a duration. @param ms milliseconds; it is told in seconds */
  record(instrument: DurationName, ms: number, labels: Attributes): void
  count(instrument: CounterName, labels: Attributes, by?: number): void
  /** All that was recorded, in the form of OTLP. */
  collect(): object[]
}

const DURATIONS = {
  'mcp.server.operation.duration': 'Duration of MCP requests, as this server sees them',
  'mcp.server.session.duration': 'Duration of MCP sessions of this process, from their beginning to their end',
  'iii.mcp.search.duration': 'Duration of searches of tools',
} as const
export type DurationName = keyof typeof DURATIONS

const COUNTERS = {
  'iii.mcp.decisions': 'What the gate said of functions that clients asked for',
  'iii.mcp.tasks': 'Tasks that are over',
  'iii.mcp.auth.failures': 'Requests of callers who were not let in, and answers to what another session was asked',
  'iii.mcp.throttled': 'Requests that were refused because there were too many',
  'iii.mcp.audit.dropped': 'Records of calls that a subscriber was not told of',
  'iii.mcp.jwks.fetches': 'Documents that were asked of the issuers of tokens',
  'iii.mcp.telemetry.dropped': 'Spans that were left out, because too many waited for the collector',
} as const
export type CounterName = keyof typeof COUNTERS

const STREAMS = { name: 'iii.mcp.streams', description: 'Streams that are open', unit: '1' }

export interface MetricsOptions {
  /** How many streams are open. */
  readonly streams?: () => number
  /** @default Date.now */
  readonly now?: () => number
}

const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
/** What is beyond counts together, so that no client fills the memory of this process or of a collector. */
const MOST_SERIES = 2_000
const OVERFLOW: Attributes = { 'otel.metric.overflow': 'true' }
const CUMULATIVE = 2

interface Distribution {
  count: number
  sum: number
  min: number
  max: number
  readonly buckets: number[]
}

interface Counted {
  value: number
}

export function createMetrics({ streams = () => 0, now = Date.now }: MetricsOptions = {}): Metrics {
  const startedAt = now()
  const durations = createSeries<DurationName, Distribution>(() => ({
    ...{ count: 0, sum: 0, min: Number.POSITIVE_INFINITY, max: 0 },
    buckets: new Array<number>(BOUNDS.length + 1).fill(0),
  }))
  const counters = createSeries<CounterName, Counted>(() => ({ value: 0 }))

  function toPoint(labels: Attributes, value: object): object {
    const times = { startTimeUnixNano: toNanoText(startedAt), timeUnixNano: toNanoText(now()) }
    return { attributes: toAttributeRows(labels), ...times, ...value }
  }

  return {
    record(instrument, ms, labels) {
      const seconds = ms / 1_000
      const found = durations.find(instrument, labels)
      found.count += 1
      found.sum += seconds
      found.min = Math.min(found.min, seconds)
      found.max = Math.max(found.max, seconds)
      const bucket = toBucket(seconds)
      found.buckets[bucket] = (found.buckets[bucket] ?? 0) + 1
    },
    count(instrument, labels, by = 1) {
      counters.find(instrument, labels).value += by
    },
    collect() {
      const histograms = durations.all().map(([name, rows]) => ({
        ...{ name, description: DURATIONS[name], unit: 's' },
        histogram: {
          aggregationTemporality: CUMULATIVE,
          dataPoints: rows.map(([labels, found]) => toPoint(labels, toHistogramValue(found))),
        },
      }))
      const sums = counters.all().map(([name, rows]) => ({
        ...{ name, description: COUNTERS[name], unit: '1' },
        sum: {
          aggregationTemporality: CUMULATIVE,
          isMonotonic: true,
          dataPoints: rows.map(([labels, { value }]) => toPoint(labels, { asInt: String(value) })),
        },
      }))
      const open = { ...STREAMS, gauge: { dataPoints: [toPoint({}, { asInt: String(streams()) })] } }
      return histograms.length + sums.length === 0 ? [] : [...histograms, ...sums, open]
    },
  }
}

/** The first bucket whose bound is not below; the last has none. */
function toBucket(seconds: number): number {
  const found = BOUNDS.findIndex((bound) => seconds <= bound)
  return found === -1 ? BOUNDS.length : found
}

function toHistogramValue({ count, sum, min, max, buckets }: Distribution): object {
  return { count: String(count), sum, min, max, bucketCounts: buckets.map(String), explicitBounds: BOUNDS }
}

type Row<Value> = [labels: Attributes, value: Value]

/** What is kept for each instrument and each set of labels. */
function createSeries<Name extends string, Value>(create: () => Value) {
  const instruments = new Map<Name, Map<string, Row<Value>>>()

  function findRow(rows: Map<string, Row<Value>>, labels: Attributes): Row<Value> {
    const key = JSON.stringify(Object.values(labels).map((value) => value ?? null))
    const known = rows.get(key)
    if (known !== undefined) return known
    if (rows.size >= MOST_SERIES && labels !== OVERFLOW) return findRow(rows, OVERFLOW)
    const row: Row<Value> = [labels, create()]
    rows.set(key, row)
    return row
  }

  return {
    find(name: Name, labels: Attributes): Value {
      const rows = instruments.get(name) ?? new Map<string, Row<Value>>()
      instruments.set(name, rows)
      return findRow(rows, labels)[1]
    },
    all: (): [Name, Row<Value>[]][] => [...instruments].map(([name, rows]) => [name, [...rows.values()]]),
  }
}
