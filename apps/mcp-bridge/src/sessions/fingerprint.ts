import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Principal } from '../auth/principal.ts'
import type { SealKey, SealKeys } from './request-state-seal.ts'

/** Tells whose something is, to whoever has the keys: what a client holds and what is stored show nothing of the principal. */
export interface Fingerprints {
  /** Undefined for whoever nobody asked who they are: what is theirs bears no mark. */
  of(principal: Principal): string | undefined
  /**
   * Is it the principal's whose mark something bears? What bears none is everybody's where nobody is asked who they are, and belongs to
   * callers without a token where somebody is.
   */
  isOf(mark: string | undefined, principal: Principal): Promise<boolean>
}

export const FINGERPRINT_BYTES = 12
/** Keeps it apart from all else that is made with the same keys. */
const PURPOSE = 'iii principal\n'

export function toFingerprint({ id }: Pick<Principal, 'id'>, { secret }: SealKey): Buffer {
  return createHmac('sha256', secret).update(PURPOSE).update(id).digest().subarray(0, FINGERPRINT_BYTES)
}

export function isFingerprint(bytes: Buffer, principal: Principal, key: SealKey): boolean {
  return bytes.length === FINGERPRINT_BYTES && timingSafeEqual(bytes, toFingerprint(principal, key))
}

export function createFingerprints(keys: SealKeys): Fingerprints {
  return {
    of(principal) {
      if (principal.method === 'off') return undefined
      const key = keys.signing()
      return `${key.id}.${toFingerprint(principal, key).toString('base64url')}`
    },
    async isOf(mark, principal) {
      if (mark === undefined) return principal.method === 'off' || principal.method === 'anonymous'
      const [, id, text] = MARK.exec(mark) ?? []
      if (principal.method === 'off' || id === undefined || text === undefined) return false
      const key = await keys.find(Number(id)).catch(() => undefined)
      return key !== undefined && isFingerprint(Buffer.from(text, 'base64url'), principal, key)
    },
  }
}

const MARK = /^(\d{1,10})\.([A-Za-z0-9_-]{16})$/
