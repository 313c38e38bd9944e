import type { z } from 'zod'
import { isRecord, readOwn } from './record.ts'

/**
 * One field of a function's registration metadata as it was written, unchecked: flat (`"mcp.tier"`) before nested (`mcp: { tier }`).
 * `null` counts as absent (it is how some languages write it).
 */
export function readField(metadata: unknown, room: string, field: string): unknown {
  if (!isRecord(metadata)) return undefined
  const flat = readOwn(metadata, `${room}.${field}`)
  if (flat !== undefined && flat !== null) return flat
  const nested = readOwn(metadata, room)
  return isRecord(nested) ? (readOwn(nested, field) ?? undefined) : undefined
}

/** Keeps of an object what its schema accepts, field by field. */
export function keepValid(
  shape: Readonly<Record<string, z.ZodType>>,
  read: (field: string) => unknown,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [field, schema] of Object.entries(shape)) {
    const value = read(field)
    // Most say little of themselves, and who reads a list of functions reads thousands.
    if (value === undefined) continue
    const parsed = schema.safeParse(value)
    if (parsed.success && parsed.data !== undefined) kept[field] = parsed.data
  }
  return kept
}

/** The longest `timeout_ms`: timers take no more (2^31 − 1 ms). */
export const MAX_TIMEOUT_MS = 2_147_483_647

/** The key in the metadata of every registration that tells which process made it. */
export const INSTANCE_KEY = 'iii.instance'

/** Which process made a registration; undefined for one that no worker on `@iii/sdk` made. */
export function readInstance(metadata: unknown): string | undefined {
  const instance = isRecord(metadata) ? readOwn(metadata, INSTANCE_KEY) : undefined
  return typeof instance === 'string' && instance !== '' ? instance : undefined
}
