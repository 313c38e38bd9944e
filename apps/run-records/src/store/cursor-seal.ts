import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { Fault } from '@iii/protocol'
import type { FactsRow } from './facts.ts'

/** Hides where a list stopped: it would tell how much others did, and the id of one of their runs. */
export interface CursorSeal {
  seal(place: string): Promise<string>
  /** @throws Fault `invalid_input` for what no list of this store has given */
  open(cursor: string): Promise<string>
}

const CIPHER = 'aes-256-gcm'
const PURPOSE = 'iii runs cursor'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM with a key of the store, so that any process of it goes on with what another one has given. */
export function createCursorSeal(facts: Pick<FactsRow, 'read'>): CursorSeal {
  // Reading makes no key; of a store without one a cursor is good in this process.
  const own = randomBytes(KEY_BYTES).toString('hex')
  const readKey = async () => {
    const secret = (await facts.read())?.digestKey ?? own
    return Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES))
  }

  return {
    async seal(place) {
      const key = await readKey()
      // Of the place itself, so that the same one is the same cursor, and no two have the same nonce.
      const nonce = createHmac('sha256', key).update(place).digest().subarray(0, NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce)
      return Buffer.concat([nonce, cipher.update(place), cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },
    async open(cursor) {
      const place = decrypt(Buffer.from(cursor, 'base64url'), await readKey())
      if (place !== undefined) return place
      throw new Fault('invalid_input', 'cursor: must be the cursor that a list has given')
    },
  }
}

function decrypt(bytes: Buffer, key: Buffer): string | undefined {
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return `${decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8')}${decipher.final('utf8')}`
  } catch {
    return undefined
  }
}
