import { isRecord, type JsonObject, LOG_LEVELS } from '@iii/protocol'
import { type McpClient, toClient } from './call.ts'
import { RPC, RpcError } from './rpc.ts'

/** The newest revision with a handshake. */
const NEWEST_SESSION_REVISION = '2025-11-25'
/** What a client means that names no revision. */
const UNNAMED_REVISION = '2025-06-18'

/** All revisions with a handshake. Session ids carry the position, so that new ones go to the end. */
export const SESSION_REVISIONS: readonly string[] = [
  NEWEST_SESSION_REVISION,
  UNNAMED_REVISION,
  '2025-03-26',
  '2024-11-05',
]

/** The revision in which every request says by itself who sent it. */
export const STATELESS_REVISION = '2026-07-28'

/** Do schemas mean what JSON Schema 2020-12 says they do, references and `$defs` included? In the older revisions many hosts follow none. */
export function followsReferences({ revision }: { readonly revision: string }): boolean {
  return revision === STATELESS_REVISION
}

/** Keys in `_meta` that MCP 2026-07-28 reserves. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
} as const

/** Since then an error that is about no request has no id at all. */
const ERRORS_WITHOUT_ID_SINCE = '2025-11-25'

/**
 * The id of an error that answers something of which no id could be read. MCP knows ids that are null in no revision; the ones before
 * 2025-11-25 know no errors without an id either, so that the rule of JSON-RPC 2.0 ("it MUST be Null") is what is left there.
 *
 * @param revision that the sender speaks; undefined where that is not known
 * @returns undefined where the member is left out
 */
export function toNoId(revision: string | undefined): null | undefined {
  if (revision === undefined || revision < ERRORS_WITHOUT_ID_SINCE) return null
  return revision === STATELESS_REVISION || SESSION_REVISIONS.includes(revision) ? undefined : null
}

export interface Claim {
  readonly client: McpClient | undefined
  readonly capabilities: JsonObject
}

interface Claimable {
  readonly method: string
  readonly params: JsonObject
  /** The parameter that the Mcp-Name header repeats, for methods that have one. */
  readonly nameParam: string | undefined
  /** It opens a session: the one request that may name a revision of the future and be answered with an older one. */
  readonly opensSession: boolean
}

/** Those of a request, by their names in lower case; several of one name are one. */
export type Headers = Readonly<Record<string, string | undefined>>

/** The revision that a handshake agrees on: a known one is echoed, an unknown one answered with our newest. */
export function negotiateRevision(requested: unknown): string {
  if (requested === undefined || requested === null) return UNNAMED_REVISION
  return typeof requested === 'string' && SESSION_REVISIONS.includes(requested) ? requested : NEWEST_SESSION_REVISION
}

/**
 * The revision of a request that makes no claim: the one its header names.
 *
 * @throws RpcError for a header with a revision that is not served (MCP wants 400 for it)
 */
export function headerRevision(headers: Headers | undefined): string {
  const header = headers?.['mcp-protocol-version']?.trim()
  if (!header) return UNNAMED_REVISION
  if (SESSION_REVISIONS.includes(header)) return header
  throw unserved(header)
}

/**
 * Of what is no request, and makes no claim: a notification, an answer, GET and DELETE.
 *
 * @returns why it is refused; undefined where its header names a revision that is served, or none
 */
export function explainRevision(headers: Headers): RpcError | undefined {
  const header = headers['mcp-protocol-version']?.trim()
  return !header || header === STATELESS_REVISION || SESSION_REVISIONS.includes(header) ? undefined : unserved(header)
}

function unserved(header: string): RpcError {
  const supported = [...SESSION_REVISIONS, STATELESS_REVISION]
  return new RpcError(
    RPC.refused,
    `Unsupported protocol version in the MCP-Protocol-Version header (supported: ${supported.join(', ')})`,
    { supported, requested: header.slice(0, 40) },
  )
}

/**
 * Reads the 2026-07-28 claim of a request: `_meta` with the protocol version and the client's capabilities.
 *
 * @param headers the HTTP headers, which must then say the same as the body; undefined where there is no HTTP
 * @returns undefined for a request of the older revisions
 * @throws RpcError with the codes of the 2026-07-28 revision when a claim is malformed, disagrees with the headers, or
 *   names a revision that is not served
 */
export function readClaim(request: Claimable, headers: Headers | undefined): Claim | undefined {
  const meta = isRecord(request.params['_meta']) ? request.params['_meta'] : undefined
  const header = headers?.['mcp-protocol-version']?.trim()
  if (meta === undefined || !(META.protocolVersion in meta)) {
    if (!request.opensSession) refuseHeaderWithoutClaim(header, meta)
    return undefined
  }
  const version = meta[META.protocolVersion]
  const capabilities = meta[META.clientCapabilities]
  if (typeof version !== 'string') throw malformed(META.protocolVersion, 'must be a string')
  if (headers !== undefined) refuseDifference(header, version, 'MCP-Protocol-Version')
  const method = headers?.['mcp-method']?.trim()
  if (method !== undefined) refuseDifference(method, request.method, 'Mcp-Method')
  if (version !== STATELESS_REVISION) throw unsupported(version)
  if (!isRecord(capabilities)) throw malformed(META.clientCapabilities, 'is required and must be an object')
  if (headers !== undefined) checkStandardHeaders(request, headers, header, method)
  checkLogLevel(meta[META.logLevel])
  return { client: toClient(meta[META.clientInfo]), capabilities }
}

function unsupported(version: string): RpcError {
  const requested = version.slice(0, 40)
  const data = { supported: [STATELESS_REVISION], requested }
  return new RpcError(RPC.unsupportedVersion, `Unsupported protocol version: ${requested}`, data)
}

/** A request with the new header but an old body is a mistake that must not be served as something else. What later revisions have in a body is not known. */
function refuseHeaderWithoutClaim(header: string | undefined, meta: JsonObject | undefined): void {
  if (header === undefined || header < STATELESS_REVISION) return
  if (header !== STATELESS_REVISION) throw unsupported(header)
  const missing = [META.protocolVersion, META.clientCapabilities].filter((key) => meta === undefined || !(key in meta))
  throw new RpcError(
    RPC.invalidParams,
    `Invalid params: the MCP-Protocol-Version header names ${header}, so params._meta must have ${missing.join(' and ')}`,
    { missing },
  )
}

/**
 * The one name that may be missing from the headers. Who adds tasks to an SDK that knows them as an extension alone can not set
 * headers, and nothing is lost without it: it leads to the bridge that has the task, and here any bridge answers for any.
 */
const TASK_ID = 'taskId'

/** An engine hands a header on as empty whose value is not ASCII, and SDKs write names into it as they are. */
const UNREADABLE_NAME =
  'the Mcp-Name header is empty, or not ASCII: write it as =?base64?…?=, or the address with escapes, as lists do'

function checkStandardHeaders(
  request: Claimable,
  headers: Headers,
  version: string | undefined,
  method: string | undefined,
): void {
  if (version === undefined) throw mismatch('the MCP-Protocol-Version header is missing')
  if (method === undefined) throw mismatch('the Mcp-Method header is missing')
  const name = request.nameParam === undefined ? undefined : request.params[request.nameParam]
  if (typeof name !== 'string') return
  const header = headers['mcp-name']?.trim()
  if (header === undefined && request.nameParam === TASK_ID) return
  if (header === undefined) throw mismatch('the Mcp-Name header is missing')
  if (header === '' && name !== '') throw mismatch(UNREADABLE_NAME)
  const decoded = decodeHeaderValue(header)
  if (decoded === undefined) throw mismatch('the Mcp-Name header is not valid Base64')
  refuseDifference(decoded, name, 'Mcp-Name')
}

function checkLogLevel(level: unknown): void {
  if (level === undefined || (LOG_LEVELS as readonly unknown[]).includes(level)) return
  throw malformed(META.logLevel, `must be one of ${LOG_LEVELS.join(', ')}`)
}

function refuseDifference(header: string | undefined, body: string, name: string): void {
  if (header !== undefined && header !== body) throw mismatch(`the ${name} header and the body disagree`)
}

function mismatch(what: string): RpcError {
  return new RpcError(RPC.headerMismatch, `Bad request: ${what}`)
}

function malformed(key: string, problem: string): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid params: ${key} in params._meta ${problem}`, { key })
}

const SENTINEL = /^=\?base64\?(.*)\?=$/
const CANONICAL_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * The text behind a header value: `=?base64?…?=` is decoded (SEP-2243), anything else is itself.
 *
 * @returns undefined when what is between the marks is not canonical Base64 of UTF-8
 */
export function decodeHeaderValue(value: string): string | undefined {
  const encoded = SENTINEL.exec(value)?.[1]
  if (encoded === undefined) return value
  if (!CANONICAL_BASE64.test(encoded)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    return undefined
  }
}

/** Only clients of this revision know events without data and come back by themselves. */
export function isResumable(revision: string): boolean {
  return revision === '2025-11-25'
}
