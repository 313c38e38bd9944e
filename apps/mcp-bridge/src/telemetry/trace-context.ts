/** A span as others name it (W3C Trace Context). */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Does whoever began it keep it? */
  readonly isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NOTHING = /^0+$/
const SAMPLED = 1

/**
 * Reads a `traceparent`, of any version that this one can be read from. It comes from clients and proves nothing.
 *
 * @example
 * parseTraceparent('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')?.isSampled // true
 */
export function parseTraceparent(value: unknown): SpanContext | undefined {
  const found = typeof value === 'string' && value.length <= MAX_LENGTH ? TRACEPARENT.exec(value) : null
  if (found === null) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = found
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

/** The inverse of {@link parseTraceparent}, in version 00. */
export function formatTraceparent({ traceId, spanId, isSampled }: SpanContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

const MAX_LENGTH = 512
const MAX_STATE_LENGTH = 512

/** What vendors keep beside a trace: at most 512 printable characters, else nothing of it. */
export function parseTracestate(value: unknown): string | undefined {
  const isUsable = typeof value === 'string' && value.length <= MAX_STATE_LENGTH && /^[\x20-\x7e]+$/.test(value)
  return isUsable && value.includes('=') ? value : undefined
}
