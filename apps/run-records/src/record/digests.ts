import { createHash, createHmac } from 'node:crypto'
import { toCanonicalJson } from '@iii/protocol/canonical-json'

/** Says of values whether they are the same, and nothing else. */
export interface Digests {
  /** Of any JSON value. Equal values of one store have equal digests; without its key nobody can try values out. */
  digest(value: unknown): string
}

const DIGEST_LENGTH = 32

/** @param key of this store */
export function createDigests(key: string): Digests {
  return {
    digest: (value) => createHmac('sha256', key).update(toCanonicalJson(value)).digest('hex').slice(0, DIGEST_LENGTH),
  }
}

/** A digest that anybody can compute: for what is no secret. */
export function hash(value: unknown): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex')
}
