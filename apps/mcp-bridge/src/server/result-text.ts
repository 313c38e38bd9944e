import { isRecord, type JsonObject, toToolError } from '@iii/protocol'
import type { McpCall } from '../mcp/call.ts'
import { META } from '../mcp/era.ts'
import { type McpResult, RPC, RpcError, readyMembers } from '../mcp/rpc.ts'

/** Who answers. */
export type ServerInfo = Readonly<Record<'name' | 'title' | 'version', string>>

/** What is special about the results of a method. */
interface ResultForm {
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
  const bytes = toSentBytes(text, call)
  if (bytes <= call.limits.replyBytes) return text
  const size = (bytes / 1_048_576).toFixed(1)
  const message = `The result is too large to be sent (about ${size} MiB with its escapes; at most ${call.limits.replyBytes / 1_048_576} MiB); ask for less`
  if (form.isForModel) return write({ ...toToolError(message) }, form, call, serverInfo)
  throw new RpcError(RPC.internal, message)
}

/** A ready result is only ever put together, not read again. */
function write(result: McpResult, { ttlMs }: ResultForm, { era }: McpCall, serverInfo: ServerInfo): string {
  const members = readyMembers(result)
  const { _meta: own, resultType } = result as JsonObject
  if (era !== 'stateless') return members === undefined ? JSON.stringify(result) : writeReady(members, own)
  const kept = ttlMs === undefined || resultType !== undefined ? '' : `"ttlMs":${ttlMs},"cacheScope":"private",`
  const isPlain = own === undefined && resultType === undefined
  const shown = members ?? JSON.stringify(isPlain ? result : withoutFrame(result)).slice(1, -1)
  const meta = isRecord(own) ? JSON.stringify({ ...own, [META.serverInfo]: serverInfo }) : toMetaText(serverInfo)
  const type = resultType === undefined ? '"complete"' : JSON.stringify(resultType)
  return `{"resultType":${type},${kept}"_meta":${meta}${shown === '' ? '' : `,${shown}`}}`
}

function writeReady(members: string, own: unknown): string {
  return own === undefined ? `{${members}}` : `{"_meta":${JSON.stringify(own)},${members}}`
}

function withoutFrame(result: McpResult): JsonObject {
  const { _meta: _, resultType: __, ...others } = result as JsonObject
  return others
}

const metaTexts = new WeakMap<ServerInfo, string>()

/** It is the same in nearly every result. */
function toMetaText(serverInfo: ServerInfo): string {
  const known = metaTexts.get(serverInfo)
  if (known !== undefined) return known
  const text = JSON.stringify({ [META.serverInfo]: serverInfo })
  metaTexts.set(serverInfo, text)
  return text
}

/** What a transport adds around a reply, at the most: the envelope, escapes, a frame of its own. */
const FRAME_BYTES = 4_096

/** As it will travel: as a string within JSON. Most replies are far from the limit; of these there is an upper bound, which costs little. */
function toSentBytes(text: string, { limits }: McpCall): number {
  const worstCaseBytes = text.length * 6 + FRAME_BYTES
  return worstCaseBytes <= limits.replyBytes ? worstCaseBytes : Buffer.byteLength(JSON.stringify(text)) + FRAME_BYTES
}
