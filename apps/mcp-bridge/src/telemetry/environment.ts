import { createSampler, SAMPLER_NAMES, type Sampler, type SamplerName } from './sampler.ts'

/** Where telemetry goes, and what of it, as OpenTelemetry's own variables say. */
export interface TelemetryEnvironment {
  /** Does any variable name a collector? */
  readonly isNamed: boolean
  /** `OTEL_SDK_DISABLED` */
  readonly isDisabled: boolean
  /** Undefined where the signal is switched off, or its address cannot be used. */
  readonly tracesUrl: string | undefined
  readonly metricsUrl: string | undefined
  /** Go to the collector alone, and into no log: keys are among them. */
  readonly headers: Readonly<Record<string, string>>
  /** How long the collector may take. */
  readonly timeoutMs: number
  /** How long spans are collected before they are sent. */
  readonly spansEveryMs: number
  /** How often it hears of metrics. */
  readonly metricsEveryMs: number
  readonly resource: Readonly<Record<string, string>>
  readonly sampler: Sampler
  /** What is wrong with the variables, and what counts instead. */
  readonly problems: readonly string[]
}

export type OtelEnvironment = Readonly<Record<string, string | undefined>>

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const DEFAULT_ENDPOINT = 'http://localhost:4318'
const DEFAULT_SAMPLER = 'parentbased_always_on'
const MAX_TIMEOUT_MS = 60_000

/** @param env the variables of the process */
export function readTelemetryEnvironment(env: OtelEnvironment): TelemetryEnvironment {
  const problems: string[] = []
  const read = (name: string) => env[name]?.trim() || undefined
  const readMs = (name: string, fallback: number) => {
    const text = read(name)
    const ms = Number(text ?? fallback)
    if (Number.isFinite(ms) && ms > 0) return Math.min(ms, MAX_TIMEOUT_MS)
    problems.push(`${name} must be a number of milliseconds; ${fallback} counts`)
    return fallback
  }
  const addresses = ['TRACES', 'METRICS'].map((signal) => toAddress(signal, read, problems))
  const protocol = read('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol === 'grpc') {
    problems.push(`OTEL_EXPORTER_OTLP_PROTOCOL: only http/json is spoken here; ${ENDPOINT} must be the HTTP port`)
  }
  return {
    isNamed: [ENDPOINT, toVariable('TRACES'), toVariable('METRICS')].some((name) => read(name) !== undefined),
    isDisabled: read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true',
    tracesUrl: addresses[0],
    metricsUrl: addresses[1],
    headers: readPairs('OTEL_EXPORTER_OTLP_HEADERS', read, problems),
    timeoutMs: readMs('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000),
    spansEveryMs: readMs('OTEL_BSP_SCHEDULE_DELAY', 5_000),
    metricsEveryMs: readMs('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    resource: toResource(read, problems),
    sampler: toSampler(read, problems),
    problems,
  }
}

type Read = (name: string) => string | undefined

function toVariable(signal: string): string {
  return `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`
}

/** The address of one signal: its own as it stands, else the one of all with a path behind it. */
function toAddress(signal: string, read: Read, problems: string[]): string | undefined {
  if (read(`OTEL_${signal}_EXPORTER`) === 'none') return undefined
  const own = read(toVariable(signal))
  const base = read(ENDPOINT) ?? DEFAULT_ENDPOINT
  const address = own ?? `${base.replace(/\/+$/, '')}/v1/${signal.toLowerCase()}`
  if (isHttp(address)) return address
  const name = own === undefined ? ENDPOINT : toVariable(signal)
  problems.push(`${name} must be an address such as ${DEFAULT_ENDPOINT}; no ${signal.toLowerCase()} are sent`)
  return undefined
}

function isHttp(address: string): boolean {
  const { protocol, username = '' } = URL.canParse(address) ? new URL(address) : { protocol: '' }
  return (protocol === 'http:' || protocol === 'https:') && username === ''
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\x20-\x7e]*$/

/** `name=value,name=value`, where values are percent-encoded. What is wrong is said without the value: it may be a key. */
function readPairs(variable: string, read: Read, problems: string[]): Record<string, string> {
  const parts = (read(variable) ?? '').split(',').filter((part) => part.trim() !== '')
  const pairs = parts.flatMap((part): [string, string][] => {
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(0, at)).trim()
    const value = decode(part.slice(at + 1).trim())
    if (HEADER_NAME.test(name) && value !== undefined && HEADER_VALUE.test(value)) return [[name, value]]
    problems.push(`${variable} must be name=value,name=value with percent-encoded values; one of them is left out`)
    return []
  })
  return Object.fromEntries(pairs)
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function toResource(read: Read, problems: string[]): Record<string, string> {
  const own = readPairs('OTEL_RESOURCE_ATTRIBUTES', read, problems)
  return { ...own, 'service.name': read('OTEL_SERVICE_NAME') ?? own['service.name'] ?? 'iii-mcp' }
}

function toSampler(read: Read, problems: string[]): Sampler {
  const text = read('OTEL_TRACES_SAMPLER') ?? DEFAULT_SAMPLER
  const name = SAMPLER_NAMES.find((known): known is SamplerName => known === text)
  if (name === undefined) {
    problems.push(`OTEL_TRACES_SAMPLER must be one of ${SAMPLER_NAMES.join(', ')}; ${DEFAULT_SAMPLER} counts`)
  }
  const given = read('OTEL_TRACES_SAMPLER_ARG')
  const ratio = Number(given ?? 1)
  const isRatio = ratio >= 0 && ratio <= 1
  if (!isRatio) problems.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; 1 counts')
  return createSampler(name ?? DEFAULT_SAMPLER, isRatio ? ratio : 1)
}
