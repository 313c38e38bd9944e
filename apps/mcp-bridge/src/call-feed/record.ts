import { randomUUID } from 'node:crypto'
import { type McpCallRecord, type RecordPolicy, readRunsMetadata } from '@iii/protocol'
import { toNamespace } from '@iii/sdk'
import { type Entry, toEntry as toFeedEntry, toJsonBytes } from '@iii/sdk/call-feed'
import type { JudgedFunction } from '../mcp/call-trace.ts'
import type { EndedCall } from './trace.ts'

const MAX_NAME_LENGTH = 1_100

/** The bridge that tells of calls. */
export interface Teller {
  readonly via: string
  readonly namespace: string | undefined
}

/** @param withInput does any subscriber want to know the arguments? Secrets are taken out here, before anything waits for a subscriber. */
export function toEntry(ended: EndedCall, { via, namespace: own }: Teller, withInput: boolean): Entry {
  const { call, functionId, code, startedAt, ms } = ended
  const namespace = functionId === undefined ? undefined : toNamespace(ended.namespace ?? own)
  const record: McpCallRecord = {
    version: 1,
    // A call that was refused reached no function and has no id of its own.
    call_id: ended.callId ?? `${via}::${randomUUID()}`,
    kind: ended.kind,
    ...(call.session === undefined ? {} : { session: call.session.handle }),
    ...(call.client === undefined ? {} : { client: { ...call.client } }),
    tool: ended.name.slice(0, MAX_NAME_LENGTH).toWellFormed(),
    ...(functionId === undefined ? {} : { function_id: functionId }),
    ...(namespace === undefined ? {} : { namespace }),
    started_at: startedAt.toISOString(),
    ms,
    outcome: ended.outcome,
    ...(code === undefined ? {} : { code }),
    bytes_in: toJsonBytes(ended.input),
    bytes_out: ended.bytesOut,
  }
  const { input: value, detail } = ended
  const input = { value, policy: detail && policyOf(detail), schema: detail?.requestSchema }
  return toFeedEntry(record, input, { endedAt: startedAt.getTime() + ms, withInput })
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
