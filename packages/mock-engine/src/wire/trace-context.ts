import { randomBytes } from 'node:crypto'
import type { TraceContext } from './outgoing.ts'

const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-([0-9a-f]{2})$/

/** The baggage entry that names the function a call is for. */
const TARGET = 'iii.function.id'

/**
 * The trace context a callee receives: the caller's, with a baggage entry that names the target. A caller that sent neither
 * field passes none on; one that sent something unreadable still causes the entry.
 */
export function forwardTrace(caller: TraceContext, functionId: string): TraceContext {
  const { traceparent, baggage } = caller
  if (traceparent === undefined && baggage === undefined) return caller
  return {
    traceparent: traceparent !== undefined && TRACEPARENT.test(traceparent) ? traceparent : undefined,
    baggage: [...entriesOf(baggage), `${TARGET}=${functionId}`].join(','),
  }
}

/** The trace context of what the engine does by itself: a step of its own in the trace it belongs to, or a new trace. */
export function childTrace({ traceparent = '', baggage }: TraceContext = {}): TraceContext {
  const [, trace = hex(16), flags = '01'] = TRACEPARENT.exec(traceparent) ?? []
  const entries = entriesOf(baggage)
  return {
    traceparent: `00-${trace}-${hex(8)}-${flags}`,
    baggage: entries.length > 0 ? entries.join(',') : undefined,
  }
}

function entriesOf(baggage: string | undefined): string[] {
  return (baggage ?? '').split(',').filter((entry) => entry.includes('=') && !entry.startsWith(`${TARGET}=`))
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}
