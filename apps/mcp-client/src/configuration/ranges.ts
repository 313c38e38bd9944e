import { z } from 'zod'

const MIB = 1024 * 1024

/** A number that has a default, and what it may be. */
function range(fallback: number, [least, most]: readonly [number, number], unit: string) {
  const error = `must be a whole number of ${unit}, from ${least} to ${most}`
  return z.int({ error }).min(least, { error }).max(most, { error }).default(fallback)
}

const MS = 'milliseconds'

export const Timeouts = z.object({
  start_ms: range(30_000, [100, 600_000], MS),
  call_ms: range(60_000, [100, 3_600_000], MS),
  list_ms: range(15_000, [100, 600_000], MS),
  stop_ms: range(2_000, [100, 30_000], MS),
})

export const Concurrency = z.object({
  calls: range(8, [1, 1_024], 'calls'),
  waiting: range(32, [0, 10_000], 'calls'),
  wait_ms: range(10_000, [0, 600_000], MS),
})

export const Limits = z.object({
  message_bytes: range(8 * MIB, [64 * 1024, 64 * MIB], 'bytes'),
  result_bytes: range(MIB, [1_024, 16 * MIB], 'bytes'),
  tools: range(256, [1, 10_000], 'tools'),
})
