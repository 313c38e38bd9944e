import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isRecord, type JsonObject } from '@iii/protocol'
import type { Principal } from '../auth/principal.ts'
import type { McpClient } from '../mcp/call.ts'
import { SESSION_REVISIONS } from '../mcp/era.ts'
import { FINGERPRINT_BYTES, toFingerprint } from './fingerprint.ts'
import type { SealKey } from './request-state-seal.ts'

/** What a session id says. Any bridge that has the key reads it, so none needs to remember it. */
export interface SessionFacts {
  /** Names the session where its id would say too much: in tombstones. */
  readonly handle: string
  readonly revision: string
  readonly capabilities: JsonObject
  readonly client: McpClient | undefined
  /** When it was minted, in milliseconds since 1970. */
  readonly mintedAt: number
  /** Whose it is, and the key that tells; undefined where nobody was asked who they are. */
  readonly owner?: { readonly keyId: number; readonly fingerprint: Buffer } | undefined
}

export type SessionIdReading =
  | { readonly kind: 'session'; readonly session: SessionFacts }
  | { readonly kind: 'unknown-key'; readonly keyId: number }
  | { readonly kind: 'invalid' }

/**
 * Capabilities that travel in the id, one bit each. The order is part of the format: new ones go to the end.
 */
const CAPABILITY_PATHS = [
  'elicitation',
  'elicitation.form',
  'elicitation.url',
  'sampling',
  'sampling.tools',
  'sampling.context',
  'roots',
  'roots.listChanged',
  'experimental.iii/structured-content',
] as const

/** Of whoever asks, and of a principal: the second has its fingerprint before the name of the client. */
const [PLAIN, OWNED] = [1, 2]
const HANDLE_BYTES = 12
const HEAD_BYTES = 1 + 4 + 1 + 4 + HANDLE_BYTES + 2
const SIGNATURE_BYTES = 16
const MAX_LENGTH = 400
const BASE64URL = /^[A-Za-z0-9_-]+$/

/**
 * Mints a session id: base64url of format, key id, revision, time, handle, capability bits, the fingerprint of a principal and the client's
 * name, signed with HMAC-SHA-256.
 *
 * @returns the id (visible ASCII, at most 206 characters) and the session that it stands for
 * @throws RangeError for a revision that has no sessions
 */
export function mintSessionId(
  asked: Pick<SessionFacts, 'revision' | 'capabilities' | 'client'>,
  { key, principal, now }: { readonly key: SealKey; readonly principal: Principal; readonly now: number },
): { id: string; session: SessionFacts } {
  const head = Buffer.alloc(HEAD_BYTES)
  const owner = principal.method === 'off' ? undefined : toFingerprint(principal, key)
  head.writeUInt8(owner === undefined ? PLAIN : OWNED, 0)
  head.writeUInt32BE(key.id, 1)
  head.writeUInt8(SESSION_REVISIONS.indexOf(asked.revision), 5)
  head.writeUInt32BE(Math.floor(now / 1000), 6)
  randomBytes(HANDLE_BYTES).copy(head, 10)
  head.writeUInt16BE(toBits(asked.capabilities), 10 + HANDLE_BYTES)
  const client = asked.client === undefined ? '' : `${asked.client.name}\n${asked.client.version}`
  const content = Buffer.concat([head, owner ?? Buffer.alloc(0), Buffer.from(client)])
  const session = readContent(content)
  if (session === undefined) throw new RangeError(`No sessions in revision ${asked.revision}`)
  return { id: Buffer.concat([content, sign(content, key)]).toString('base64url'), session }
}

/** Reads a session id that a client sent. Never throws; an id that none of the keys signed is invalid or of an unknown key. */
export function readSessionId(id: string, keys: ReadonlyMap<number, SealKey>): SessionIdReading {
  if (id.length > MAX_LENGTH || !BASE64URL.test(id)) return { kind: 'invalid' }
  const bytes = Buffer.from(id, 'base64url')
  // More than one text decodes to the same bytes; only the one that was minted counts.
  if (bytes.length < HEAD_BYTES + SIGNATURE_BYTES || bytes.toString('base64url') !== id) return { kind: 'invalid' }
  const content = bytes.subarray(0, bytes.length - SIGNATURE_BYTES)
  if (content[0] !== PLAIN && content[0] !== OWNED) return { kind: 'invalid' }
  const keyId = content.readUInt32BE(1)
  const key = keys.get(keyId)
  if (key === undefined) return { kind: 'unknown-key', keyId }
  if (!timingSafeEqual(bytes.subarray(content.length), sign(content, key))) return { kind: 'invalid' }
  const session = readContent(content)
  return session === undefined ? { kind: 'invalid' } : { kind: 'session', session }
}

/** Makes a new key. Its id only tells keys apart; it need not be secret. */
export function createKey(): SealKey {
  return { id: randomBytes(4).readUInt32BE(0), secret: randomBytes(32) }
}

function readContent(content: Buffer): SessionFacts | undefined {
  const revision = SESSION_REVISIONS[content.readUInt8(5)]
  const isOwned = content[0] === OWNED
  const clientAt = HEAD_BYTES + (isOwned ? FINGERPRINT_BYTES : 0)
  if (revision === undefined || content.length < clientAt) return undefined
  const [name = '', version = ''] = content.subarray(clientAt).toString('utf8').split('\n')
  const owner = { keyId: content.readUInt32BE(1), fingerprint: content.subarray(HEAD_BYTES, clientAt) }
  return {
    handle: content.subarray(10, 10 + HANDLE_BYTES).toString('base64url'),
    revision,
    capabilities: fromBits(content.readUInt16BE(10 + HANDLE_BYTES)),
    client: name === '' ? undefined : { name, version },
    mintedAt: content.readUInt32BE(6) * 1000,
    ...(isOwned ? { owner } : {}),
  }
}

function sign(content: Buffer, key: SealKey): Buffer {
  return createHmac('sha256', key.secret).update(content).digest().subarray(0, SIGNATURE_BYTES)
}

function toBits(capabilities: JsonObject): number {
  let bits = 0
  for (const [bit, path] of CAPABILITY_PATHS.entries()) if (isDeclared(capabilities, path.split('.'))) bits |= 1 << bit
  return bits
}

function isDeclared(capabilities: JsonObject, path: readonly string[]): boolean {
  let value: unknown = capabilities
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return value === true || isRecord(value)
}

function fromBits(bits: number): JsonObject {
  const capabilities: JsonObject = {}
  for (const [bit, path] of CAPABILITY_PATHS.entries()) {
    if ((bits & (1 << bit)) === 0) continue
    const [root = '', leaf] = path.split('.')
    const group = isRecord(capabilities[root]) ? capabilities[root] : {}
    if (leaf !== undefined) group[leaf] = leaf === 'listChanged' ? true : {}
    capabilities[root] = group
  }
  return capabilities
}
