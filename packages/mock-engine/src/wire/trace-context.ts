import { randomBytes } from 'node:crypto'
import { formatBaggage, parseBaggage } from './baggage.ts'
import type { TraceContext } from './outgoing.ts'

const TRACEPARENT = /^0*([0-9a-f]{1,2})-([0-9a-f]{1,32})-([0-9a-f]{1,16})-0*([0-9a-f]{1,2})(-.*)?$/

/** The baggage entry that names the function a call is for. */
const TARGET = 'iii.function.id'

/**
 * The trace context a callee receives: the caller's, with a baggage entry that names the target. A caller that sent neither
 * field passes none on; one that sent something unreadable still causes the entry. Properties of entries are left out.
 */
export function forwardTrace(caller: TraceContext, functionId: string): TraceContext {
  const { traceparent = '', baggage = '' } = caller
  if (caller.traceparent === undefined && caller.baggage === undefined) return caller
  const parent = parseTraceparent(traceparent)
  const entries = [...parseBaggage(baggage)].filter(([name]) => name !== TARGET)
  const passed = new Map(entries.map(([name, { value }]) => [name, { value }]))
  return {
    traceparent: parent && `00-${parent.trace}-${parent.span}-${parent.flags}`,
    baggage: formatBaggage(passed.set(TARGET, { value: functionId })),
  }
}

/** The trace context of what the engine does by itself: a step of its own in the trace it belongs to, or a new trace. */
export function childTrace({ traceparent = '', baggage = '' }: TraceContext = {}): TraceContext {
  const { trace = hex(16) } = parseTraceparent(traceparent) ?? {}
  return { traceparent: `00-${trace}-${hex(8)}-01`, baggage: formatBaggage(parseBaggage(baggage)) }
}

/** What is kept of the trace context of a call whose events come later: nothing of a caller that tells no `traceparent`. */
export function keptTrace(caller: TraceContext): TraceContext {
  return caller.traceparent === undefined ? {} : childTrace(caller)
}

/** Reads a `traceparent` as the engine does: any version but ff, which 00 has nothing behind its flags, and shorter numbers. */
function parseTraceparent(text: string): { trace: string; span: string; flags: string } | undefined {
  const [, version = 'ff', trace = '', span = '', flags = '', more] = TRACEPARENT.exec(text.trim()) ?? []
  const bits = Number.parseInt(flags, 16)
  if (version === 'ff' || (Number.parseInt(version, 16) === 0 && (bits > 2 || more !== undefined))) return undefined
  if (/^0*$/.test(trace) || /^0*$/.test(span)) return undefined
  return { trace: trace.padStart(32, '0'), span: span.padStart(16, '0'), flags: `0${bits & 1}` }
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}
