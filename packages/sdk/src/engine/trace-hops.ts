import { Fault } from '@iii/protocol'
import { currentTrace, withTrace } from './call-context.ts'

/** So many times a call may be led on to another one by what resolves addresses, prompts and MCP messages. */
export const MAX_HOPS = 4

/** The W3C baggage entry that counts them; baggage goes with every call made while another one is handled. */
const ENTRY = 'iii.mcp.hops'

/**
 * Runs `work` as one step further on somebody's behalf: for a worker that calls a function which a text, an address or a message names,
 * and which may lead back here. The calls made from `work` carry the count on, through every worker that passes its trace context on.
 *
 * @param what is refused when there were {@link MAX_HOPS} steps already
 * @throws Fault `forbidden` then; `work` does not run.
 *
 * @example
 * countHop('orders::report', () => worker.trigger({ function_id: 'orders::report' }))
 */
export function countHop<T>(what: string, work: () => T): T {
  const trace = currentTrace()
  const hops = readHops(trace?.baggage)
  if (hops >= MAX_HOPS) {
    const behind = `this call was led on ${MAX_HOPS} times already, from one address, prompt or MCP message to the next`
    throw new Fault('forbidden', `${what} is refused: ${behind}, and ${MAX_HOPS} is the limit. Does it lead to itself?`)
  }
  return withTrace({ ...trace, baggage: withHops(trace?.baggage, hops + 1) }, work)
}

/** How many steps a baggage tells of. Whoever writes something else than a number there gets no further. */
export function readHops(baggage: string | undefined): number {
  if (!baggage?.includes(ENTRY)) return 0
  const counts = baggage.split(',').flatMap((entry) => (keyOf(entry) === ENTRY ? [toCount(entry)] : []))
  return Math.max(0, ...counts)
}

/** Other entries stay; ours is the first, because an engine drops what is beyond 64 entries. */
export function withHops(baggage: string | undefined, hops: number): string {
  const others = (baggage ?? '').split(',').filter((entry) => entry.trim() !== '' && keyOf(entry) !== ENTRY)
  return [`${ENTRY}=${hops}`, ...others].join(',')
}

function keyOf(entry: string): string {
  return entry.split('=', 1)[0]?.trim() ?? ''
}

function toCount(entry: string): number {
  const [value = ''] = entry.slice(entry.indexOf('=') + 1).split(';', 1)
  return /^\d{1,3}$/.test(value.trim()) ? Number(value) : MAX_HOPS
}
