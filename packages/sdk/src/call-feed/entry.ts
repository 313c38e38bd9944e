import type { McpCallRecord, RecordPolicy } from '@iii/protocol'
import { redact } from '@iii/protocol/redaction'

/** A record as it waits for subscribers, and apart from it what only some of them get. */
export interface Entry {
  readonly record: McpCallRecord
  /** When the call was over, in milliseconds since 1970. */
  readonly endedAt: number
  /** The arguments without secrets; undefined where nobody wants them, and where they may not be kept. */
  readonly input: unknown
  readonly inputBytes: number
}

/** What a function was called with, and what it says of that. */
export interface CallInput {
  /** Undefined where there is none. */
  readonly value: unknown
  /** @default 'redacted' */
  readonly policy: RecordPolicy | undefined
  /** As the function has it. */
  readonly schema: unknown
}

/** Larger arguments are not told, in bytes of JSON. */
const MAX_INPUT_BYTES = 64 * 1024

/** @param withInput does any subscriber want to know the arguments? Secrets are taken out here, before anything waits for a subscriber. */
export function toEntry(
  record: McpCallRecord,
  { value, policy, schema }: CallInput,
  { endedAt, withInput }: { readonly endedAt: number; readonly withInput: boolean },
): Entry {
  const isKept = withInput && value !== undefined && record.bytes_in <= MAX_INPUT_BYTES
  const kept = isKept ? redact(value, { record: policy, schema, maxBytes: MAX_INPUT_BYTES }) : undefined
  return { record, endedAt, input: kept?.value, inputBytes: kept?.bytes ?? 0 }
}

/** Bytes of a value as JSON. */
export function toJsonBytes(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value) ?? '')
}
