import { McpCallGap, McpCallRecord } from '@iii/protocol'

/** A call that was made. Who was not let in made none. */
export type MadeCall = McpCallRecord & { readonly kind: Exclude<McpCallRecord['kind'], 'auth'> }

/** One thing that a bridge tells: a call, or that there were some of which it cannot tell. */
export type Told = { readonly call: MadeCall; readonly gap?: undefined } | { readonly gap: McpCallGap }

/** As many calls stand in a batch. */
const MAX_CALLS = 100

/** What can be read of a batch; anybody on the engine may call who hears it. */
export function readBatch(batch: unknown): Told[] {
  if (typeof batch !== 'object' || batch === null) return []
  const { calls, gap } = batch as { calls?: unknown; gap?: unknown }
  const told = Array.isArray(calls) ? calls.slice(0, MAX_CALLS) : []
  const missing = McpCallGap.safeParse(gap)
  return [
    ...told.flatMap((row): Told[] => {
      const call = McpCallRecord.safeParse(row)
      return call.success && isMade(call.data) ? [{ call: call.data }] : []
    }),
    ...(missing.success ? [{ gap: missing.data }] : []),
  ]
}

function isMade(call: McpCallRecord): call is MadeCall {
  return call.kind !== 'auth'
}
