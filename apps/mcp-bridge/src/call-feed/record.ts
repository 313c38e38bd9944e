import { randomUUID } from 'node:crypto'
import { type McpCallRecord, type RecordPolicy, readRunsMetadata } from '@iii/protocol'
import { toNamespace } from '@iii/sdk'
import { type Entry, toEntry } from '@iii/sdk/call-feed'
import { type Principal, toToldPrincipal } from '../auth/principal.ts'
import { toTraceId } from '../mcp/call-log.ts'
import type { JudgedFunction } from '../mcp/call-trace.ts'
import type { EndedCall } from '../mcp/ended-call.ts'

const MAX_NAME_LENGTH = 1_100

/** The bridge that tells of calls. */
export interface Teller {
  readonly via: string
  readonly namespace: string | undefined
}

/** @param withInput does any subscriber want to know the arguments? Secrets are taken out here, before anything waits for a subscriber. */
export function toCallEntry(ended: EndedCall, { via, namespace: own }: Teller, withInput: boolean): Entry {
  const { call, functionId, code, startedAt, ms } = ended
  const namespace = functionId === undefined ? undefined : toNamespace(ended.namespace ?? own)
  const record: McpCallRecord = {
    version: 1,
    // A call that was refused reached no function and has no id of its own.
    call_id: ended.callId ?? `${via}::${randomUUID()}`,
    kind: ended.kind,
    ...(call.session === undefined ? {} : { session: call.session.handle }),
    ...toWho(ended),
    ...(call.client === undefined ? {} : { client: { ...call.client } }),
    tool: ended.name.slice(0, MAX_NAME_LENGTH).toWellFormed(),
    ...(functionId === undefined ? {} : { function_id: functionId }),
    ...(namespace === undefined ? {} : { namespace }),
    started_at: startedAt.toISOString(),
    ms,
    ...(ended.decision === undefined ? {} : { decision: ended.decision }),
    outcome: ended.outcome,
    ...(code === undefined ? {} : { code }),
    bytes_in: ended.bytesIn,
    bytes_out: ended.bytesOut,
  }
  const { input: value, detail } = ended
  const input = { value, policy: detail && policyOf(detail), schema: detail?.requestSchema }
  return toEntry(record, input, { endedAt: startedAt.getTime() + ms, withInput })
}

function toWho({ call: { principal, era }, traceparent, count }: EndedCall): Partial<McpCallRecord> {
  const traceId = toTraceId(traceparent)
  return {
    ...(principal === undefined ? {} : toToldFields(principal)),
    ...(era === undefined ? {} : { era }),
    ...(count === undefined ? {} : { count }),
    ...(traceId === undefined ? {} : { trace_id: traceId }),
  }
}

/** Where nobody has to say who they are, it is everybody. */
function toToldFields(principal: Principal): Partial<McpCallRecord> {
  const told = toToldPrincipal(principal)
  if (told === undefined) return {}
  const { method, issuer } = principal
  return { principal: told, auth: method, ...(issuer === undefined ? {} : { issuer }) }
}

const policies = new WeakMap<JudgedFunction, RecordPolicy>()

/** A busy function is not read anew for each call. */
function policyOf(detail: JudgedFunction): RecordPolicy {
  const known = policies.get(detail)
  if (known !== undefined) return known
  const { record = 'redacted' } = readRunsMetadata(detail.metadata)
  policies.set(detail, record)
  return record
}
