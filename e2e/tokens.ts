import { createHash, randomBytes } from 'node:crypto'

/** Makes a token that nobody else has. */
export function inventToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What the file has of a token. */
export function toTokenHash(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`
}
