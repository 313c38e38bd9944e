import { createSign, generateKeyPairSync } from 'node:crypto'
import { toTokenPart } from '../apps/mcp-bridge/src/testing/issuer-tokens.ts'
import { type IssuerServer, JWKS_URL } from './issuer-server.ts'

export {
  toIssuerRow,
  toRightClaims,
  toSeconds,
  toTokenPart,
} from '../apps/mcp-bridge/src/testing/issuer-tokens.ts'

/** Who signs whatever is asked for, also what no library would. */
export interface WillingSigner {
  /** Its key as the issuer publishes it. */
  readonly jwk: { readonly kid: string }
  /** The same as text. */
  readonly pem: string
  readonly der: Buffer
  /** @param header with `alg` and `kid` unless it says others */
  sign(claims: object, header?: object): string
}

export function createWillingSigner(kid: string): WillingSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }
  return {
    jwk,
    pem: String(publicKey.export({ type: 'spki', format: 'pem' })),
    der: publicKey.export({ type: 'spki', format: 'der' }),
    sign(claims, header = {}) {
      const signed = `${toTokenPart({ alg: 'ES256', kid, ...header })}.${toTokenPart(claims)}`
      const signature = createSign('sha256').update(signed).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' })
      return `${signed}.${signature.toString('base64url')}`
    },
  }
}

/** Has the issuer publish the key beside its first one. */
export async function publishBeside({ idp }: IssuerServer, { jwk }: WillingSigner): Promise<void> {
  idp.documents.set(JWKS_URL, { keys: [await idp.toJwk('first'), jwk] })
}
