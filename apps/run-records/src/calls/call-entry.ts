import { DEFAULT_NAMESPACE, type McpCallGap } from '@iii/protocol'
import type { CallGap, CallRecord } from '../record/call-record.ts'
import type { Digests } from '../record/digests.ts'
import { toPayload } from '../redaction/payload.ts'
import { toRedactedText } from '../redaction/redacted-text.ts'
import type { MadeCall } from './batch.ts'

const MAX_NAME = 1024

/** How calls are kept. */
export interface CallKeeping {
  readonly digests: Digests
  readonly maxBytes: number
  /** Of this worker; undefined for `default`. */
  readonly namespace: string | undefined
}

/** A call that a bridge told of, as it is kept. Its secrets were taken out there, and are taken out here once more. */
export function toCallRecord(call: MadeCall, { digests, maxBytes, namespace: own }: CallKeeping): CallRecord {
  const { call_id, kind, tool, client, session, principal, started_at, ms, outcome, code, input } = call
  const function_id = isUntold(call) ? undefined : call.function_id
  return {
    kind: 'call',
    id: call_id,
    asked: kind,
    tool: toRedactedText(tool.slice(0, MAX_NAME)),
    ...(function_id && { function_id: function_id.slice(0, MAX_NAME), ...toPlace(call.namespace, own) }),
    ...(client && { client: { name: client.name.slice(0, MAX_NAME), version: client.version.slice(0, MAX_NAME) } }),
    ...(session && { session }),
    ...(principal && { principal }),
    started_at,
    duration_ms: ms,
    outcome,
    ...(code && { code }),
    bytes_in: call.bytes_in,
    bytes_out: call.bytes_out,
    ...(input !== undefined && { input: toPayload(input, { record: 'redacted', maxBytes, digests }) }),
  }
}

/**
 * The name of a tool says which function it is, and that of a prompt does not: who asks for one that its grant hides, and reads its own calls
 * afterwards, must find there what it finds of one that nobody has registered.
 */
function isUntold({ kind, principal, code }: MadeCall): boolean {
  return kind === 'prompt' && principal !== undefined && code === 'unknown'
}

/** Calls that a bridge could not tell of. */
export function toCallGap({ dropped, until }: McpCallGap): CallGap {
  return { kind: 'gap', missed: dropped, at: until }
}

function toPlace(namespace = DEFAULT_NAMESPACE, own = DEFAULT_NAMESPACE): Pick<CallRecord, 'namespace'> {
  return namespace === own ? {} : { namespace: namespace.slice(0, MAX_NAME) }
}
