import type { TraceContext } from './outgoing.ts'

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * The trace context a callee receives: the caller's, with the baggage entry `iii.function.id` naming the target. A caller
 * that sent neither field passes none on; one that sent something unreadable still causes the baggage entry.
 */
export function forwardTrace(caller: TraceContext, functionId: string): TraceContext {
  const { traceparent, baggage } = caller
  if (traceparent === undefined && baggage === undefined) return caller
  const kept = (baggage ?? '')
    .split(',')
    .filter((entry) => entry.includes('=') && !entry.startsWith('iii.function.id='))
  return {
    traceparent: traceparent !== undefined && TRACEPARENT.test(traceparent) ? traceparent : undefined,
    baggage: [...kept, `iii.function.id=${functionId}`].join(','),
  }
}
