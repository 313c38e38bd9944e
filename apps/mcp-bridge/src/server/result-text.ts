import { isRecord, type JsonObject, toToolError } from '@iii/protocol'
import type { McpCall } from '../mcp/call.ts'
import { META } from '../mcp/era.ts'
import { type McpResult, RPC, RpcError, readyMembers } from '../mcp/rpc.ts'

/** Who answers. */
export type ServerInfo = Readonly<Record<'name' | 'title' | 'version', string>>

/** What is special about the results of a method. */
export interface ResultForm {
  /** How long a 2026-07-28 client may keep the result; undefined for results that are not kept. */
  readonly ttlMs: number | undefined
  /** A model reads the errors; those of all other methods only its host does. */
  readonly isForModel: boolean
}

/**
 * The result as JSON text, as the era of the call wants it and no larger than its transport carries.
 *
 * @throws RpcError for a result that is too large and not for a model
 */
export function toResultText(result: McpResult, form: ResultForm, call: McpCall, serverInfo: ServerInfo): string {
  const text = write(result, form, call, serverInfo)
  if (!isTooLarge(text, call)) return text
  const size = (text.length / 1_048_576).toFixed(1)
  const message = `The result is too large to be sent (about ${size} MiB; at most ${call.limits.replyBytes / 1_048_576} MiB); ask for less`
  if (form.isForModel) return write({ ...toToolError(message) }, form, call, serverInfo)
  throw new RpcError(RPC.internal, message)
}

/** A ready result is only ever put together, not read again. */
function write(result: McpResult, { ttlMs }: ResultForm, { era }: McpCall, serverInfo: ServerInfo): string {
  const members = readyMembers(result)
  if (era !== 'stateless') return members === undefined ? JSON.stringify(result) : `{${members}}`
  const { _meta: own, resultType, ...others } = result as JsonObject
  const kept = ttlMs === undefined || resultType !== undefined ? '' : `"ttlMs":${ttlMs},"cacheScope":"private",`
  const shown = members ?? JSON.stringify(others).slice(1, -1)
  const meta = JSON.stringify({ ...(isRecord(own) ? own : {}), [META.serverInfo]: serverInfo })
  const type = JSON.stringify(resultType ?? 'complete')
  return `{"resultType":${type},${kept}"_meta":${meta}${shown === '' ? '' : `,${shown}`}}`
}

/** What a transport adds around a reply, at the most: the envelope, escapes, a frame of its own. */
const FRAME_BYTES = 4_096

/** Most replies are far from the limit; only a long one is measured as it will travel: as a string within JSON. */
function isTooLarge(text: string, { limits }: McpCall): boolean {
  const worstCaseBytes = text.length * 6 + FRAME_BYTES
  if (worstCaseBytes <= limits.replyBytes) return false
  return Buffer.byteLength(JSON.stringify(text)) + FRAME_BYTES > limits.replyBytes
}
