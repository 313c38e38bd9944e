import { randomUUID } from 'node:crypto'
import { type McpCallRecord, type RecordPolicy, readRunsMetadata } from '@iii/protocol'
import { redact } from '@iii/protocol/redaction'
import type { FunctionDetail } from '../directory.ts'
import type { EndedCall } from './trace.ts'

/** A record as it waits for subscribers, and apart from it what only some of them get. */
export interface Entry {
  readonly record: McpCallRecord
  /** When the call was over, in milliseconds since 1970. */
  readonly endedAt: number
  /** The arguments without secrets; undefined where nobody wants them, and where they may not be kept. */
  readonly input: unknown
  readonly inputBytes: number
}

/** Larger arguments are not told, in bytes of JSON. */
const MAX_INPUT_BYTES = 64 * 1024
const MAX_NAME_LENGTH = 1_100

/** @param withInput does any subscriber want to know the arguments? Secrets are taken out here, before anything waits for a subscriber. */
export function toEntry(ended: EndedCall, via: string, withInput: boolean): Entry {
  const { call, functionId, code, startedAt, ms } = ended
  const record: McpCallRecord = {
    version: 1,
    // A call that was refused reached no function and has no id of its own.
    call_id: ended.callId ?? `${via}::${randomUUID()}`,
    kind: ended.kind,
    ...(call.session === undefined ? {} : { session: call.session.handle }),
    ...(call.client === undefined ? {} : { client: { ...call.client } }),
    tool: ended.name.slice(0, MAX_NAME_LENGTH).toWellFormed(),
    ...(functionId === undefined ? {} : { function_id: functionId }),
    started_at: startedAt.toISOString(),
    ms,
    outcome: ended.outcome,
    ...(code === undefined ? {} : { code }),
    bytes_in: ended.input === undefined ? 0 : Buffer.byteLength(JSON.stringify(ended.input) ?? ''),
    bytes_out: ended.bytesOut,
  }
  const kept = withInput && record.bytes_in <= MAX_INPUT_BYTES ? keepInput(ended) : undefined
  const endedAt = startedAt.getTime() + ms
  return { record, endedAt, input: kept?.value, inputBytes: kept?.bytes ?? 0 }
}

function keepInput({ input, detail }: EndedCall) {
  if (input === undefined) return undefined
  const record = detail && policyOf(detail)
  return redact(input, { record, schema: detail?.requestSchema, maxBytes: MAX_INPUT_BYTES })
}

const policies = new WeakMap<FunctionDetail, RecordPolicy>()

/** A busy function is not read anew for each call. */
function policyOf(detail: FunctionDetail): RecordPolicy {
  const known = policies.get(detail)
  if (known !== undefined) return known
  const { record = 'redacted' } = readRunsMetadata(detail.metadata)
  policies.set(detail, record)
  return record
}
