import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Fault } from '@iii/protocol'

/** Hands text to a client that can neither read nor change it, and takes it back: on any bridge that has the keys. */
export interface Seal {
  /**
   * @param context what the text belongs to; it opens nowhere else
   * @returns base64url @throws Fault `too_large` for a text beyond {@link MAX_SEALED_BYTES}
   */
  seal(text: string, context: string): string
  /** @returns undefined for whatever was not sealed here or in this context, was changed, or is too old. Never rejects */
  open(token: unknown, context: string): Promise<string | undefined>
}

/** The keys that all bridges of an engine share. */
export interface SealKeys {
  /** The key for what is new: the oldest of the shared ones, or our own while there is no store. */
  signing(): SealKey
  /** A key by its id; asks the store for one that is not known here. */
  find(id: number): Promise<SealKey | undefined>
}

export interface SealKey {
  /** 32 bits; only tells keys apart. */
  readonly id: number
  readonly secret: Buffer
}

/** Largest text that is sealed: what a client is made to carry about has to stay small. */
export const MAX_SEALED_BYTES = 64 * 1024

const TTL_MS = 3_600_000
const FORMAT = 1
const CIPHER = 'aes-256-gcm'
/** Keeps these keys apart from all others that come of the same secrets. */
const PURPOSE = 'iii request state'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const TIME_BYTES = 6
/** Format and id of the key. */
const HEAD_BYTES = 1 + 4
const MIN_BYTES = HEAD_BYTES + NONCE_BYTES + TIME_BYTES + TAG_BYTES
const MAX_TOKEN_LENGTH = Math.ceil(((MIN_BYTES + MAX_SEALED_BYTES) * 4) / 3)
const TOKEN = /^[A-Za-z0-9_-]+$/

/** AES-256-GCM; the key is derived from a session secret by HKDF-SHA-256, the context is authenticated with the text. */
export function createSeal(keys: SealKeys, now = Date.now): Seal {
  const derived = new WeakMap<Buffer, Buffer>()

  function toCipherKey({ secret }: SealKey): Buffer {
    const known = derived.get(secret)
    if (known !== undefined) return known
    const key = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES))
    derived.set(secret, key)
    return key
  }

  return {
    seal(text, context) {
      const content = Buffer.from(text)
      if (content.length > MAX_SEALED_BYTES) {
        throw new Fault(
          'too_large',
          `The request state has ${content.length} bytes; at most ${MAX_SEALED_BYTES} travel`,
        )
      }
      const key = keys.signing()
      const head = Buffer.alloc(HEAD_BYTES)
      head.writeUInt8(FORMAT, 0)
      head.writeUInt32BE(key.id, 1)
      const expiry = Buffer.alloc(TIME_BYTES)
      expiry.writeUIntBE(now() + TTL_MS, 0, TIME_BYTES)
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, toCipherKey(key), nonce).setAAD(toBound(head, context))
      const hidden = [cipher.update(expiry), cipher.update(content), cipher.final()]
      return Buffer.concat([head, nonce, ...hidden, cipher.getAuthTag()]).toString('base64url')
    },
    async open(token, context) {
      const bytes = readBytes(token)
      const key = bytes && (await keys.find(bytes.readUInt32BE(1)).catch(() => undefined))
      const content = bytes && key && decrypt(bytes, toCipherKey(key), context)
      if (content === undefined || content.readUIntBE(0, TIME_BYTES) < now()) return undefined
      return content.subarray(TIME_BYTES).toString('utf8')
    },
  }
}

function readBytes(token: unknown): Buffer | undefined {
  if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  // More than one text decodes to the same bytes; only the one that was handed out counts.
  if (bytes.length < MIN_BYTES || bytes[0] !== FORMAT || bytes.toString('base64url') !== token) return undefined
  return bytes
}

function decrypt(bytes: Buffer, key: Buffer, context: string): Buffer | undefined {
  const head = bytes.subarray(0, HEAD_BYTES)
  const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES)
  const end = bytes.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(toBound(head, context)).setAuthTag(bytes.subarray(end))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES + NONCE_BYTES, end)), decipher.final()])
  } catch {
    return undefined
  }
}

/** What is not hidden and still may not change. */
function toBound(head: Buffer, context: string): Buffer {
  return Buffer.concat([head, Buffer.from(context)])
}
