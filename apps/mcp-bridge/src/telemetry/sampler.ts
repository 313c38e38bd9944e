import type { SpanContext } from './trace-context.ts'

/** The samplers of OpenTelemetry, by their names in `OTEL_TRACES_SAMPLER`. */
export const SAMPLER_NAMES = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof SAMPLER_NAMES)[number]

/** Is a span of this trace kept? `parentbased_…` leaves it to whoever began the trace; the others do not believe clients. */
export type Sampler = (traceId: string, parent: SpanContext | undefined) => boolean

/** @param ratio how many of all traces are kept by `traceidratio`, 0 to 1 */
export function createSampler(name: SamplerName, ratio: number): Sampler {
  const own = toOwn(name.replace('parentbased_', ''), ratio)
  return name.startsWith('parentbased_')
    ? (traceId, parent) => (parent === undefined ? own(traceId) : parent.isSampled)
    : own
}

/** Its last 56 bits are random. */
const RANDOM_DIGITS = 14
const RANDOM_VALUES = 16 ** RANDOM_DIGITS

function toOwn(name: string, ratio: number): (traceId: string) => boolean {
  if (name === 'always_on') return () => true
  if (name === 'always_off') return () => false
  const threshold = (1 - ratio) * RANDOM_VALUES
  return (traceId) => Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= threshold
}
