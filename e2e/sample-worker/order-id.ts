import { createHash, randomBytes } from 'node:crypto'

/** Crockford's alphabet: no letters that read like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 10

/** A new order id that nobody can guess. */
export function createOrderId(): string {
  return formatId(randomBytes(LENGTH))
}

/**
 * The id that belongs to a customer's reference. The same pair always gives the same id, so a request that is
 * sent twice (because its answer was lost, say) finds the order it made the first time.
 */
export function toOrderId(customer: string, reference: string): string {
  return formatId(
    createHash('sha256')
      .update(JSON.stringify([customer, reference]))
      .digest()
      .subarray(0, LENGTH),
  )
}

function formatId(bytes: Uint8Array): string {
  return `ORD-${Array.from(bytes, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')}`
}
