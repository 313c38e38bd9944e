import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Static tokens: how they look, and what is written down of them. */

const PREFIX = 'iii_'
const SECRET_BYTES = 32
const TOKEN = /^(iii_[A-Za-z0-9_-]{43})_([0-9a-f]{8})$/
/** Of a token that somebody has made otherwise: what is shorter can be guessed. */
export const LEAST_TOKEN_LENGTH = 32
/** What may stand behind `Bearer` (RFC 6750 §2.1). */
const BEARER_TEXT = /^[A-Za-z0-9._~+/-]+=*$/

/** @returns a new token of 256 random bits; the checksum at its end finds slips, and lets scanners for secrets know it */
export function createToken(): string {
  const body = PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
  return `${body}_${toChecksum(body)}`
}

/** Whether it was made by `createToken`, without a slip. */
export function isWholeToken(text: string): boolean {
  const [, body, checksum] = TOKEN.exec(text) ?? []
  return body !== undefined && toChecksum(body) === checksum
}

/** Whether it is one of ours by its beginning, whole or not. */
export function isOwnToken(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** Whether it can be sent at all. */
export function isBearerText(text: string): boolean {
  return BEARER_TEXT.test(text)
}

/** What the configuration file has of a token. */
export function toDigest(token: string): string {
  return `sha256:${hash('sha256', token)}`
}

function toChecksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
