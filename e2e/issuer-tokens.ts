import { createSign, generateKeyPairSync } from 'node:crypto'
import { type IssuerServer, JWKS_URL } from './issuer-server.ts'

/** Tokens of an issuer that are right in all but what a scenario changes. */

export const toSeconds = (): number => Math.floor(Date.now() / 1000)

/** Claims that are right at this moment. */
export function toRightClaims(server: IssuerServer, audience: string, changes: object = {}): Record<string, unknown> {
  return { iss: server.issuer, aud: audience, sub: 'ada', exp: toSeconds() + 300, scope: 'mcp', ...changes }
}

/** An element of `auth.issuers` whose tokens may do what the grant `all` names. @param changes of its members */
export function toIssuerRow(
  { issuer, jwks }: Pick<IssuerServer, 'issuer' | 'jwks'>,
  audience: string,
  changes: object = {},
) {
  return { issuer, jwks, audience: [audience], grants: [{ grant: 'all' }], ...changes }
}

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

/** Header or claims, as they stand in a token. */
export function toTokenPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Has the issuer publish the key beside its first one. */
export async function publishBeside({ idp }: IssuerServer, { jwk }: WillingSigner): Promise<void> {
  idp.documents.set(JWKS_URL, { keys: [await idp.toJwk('first'), jwk] })
}
