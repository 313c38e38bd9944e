import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import type { FetchDocument } from '../auth/issuers/fetch-document.ts'

/** An issuer of tokens, of which only the signatures are real: its documents come out of this object, at no cost. */
export interface JwtIssuer {
  readonly issuer: string
  /** What can be fetched from it, by address; whatever else is asked for is refused. */
  readonly documents: Map<string, unknown>
  /** Addresses that were asked for, in order. */
  readonly fetched: string[]
  readonly fetchDocument: FetchDocument
  /** Signs with keys that are made when they are first named, and published at once unless told otherwise. */
  sign(
    claims: JWTPayload,
    header?: { readonly alg?: string; readonly kid?: string; readonly typ?: string; readonly crit?: string[] },
  ): Promise<string>
  /** Publishes these keys and no others. */
  publish(...kids: readonly string[]): Promise<void>
  /** The published half of a key. */
  toJwk(kid: string, alg?: string): Promise<JWK>
}

export const JWKS_URL = 'https://login.example.com/keys'

export function createJwtIssuer(issuer = 'https://login.example.com'): JwtIssuer {
  const documents = new Map<string, unknown>()
  const fetched: string[] = []
  const pairs = new Map<string, ReturnType<typeof generateKeyPair>>()
  const toPair = (kid: string, alg: string) => {
    const pair = pairs.get(kid) ?? generateKeyPair(alg, { extractable: true })
    pairs.set(kid, pair)
    return pair
  }
  const toJwk = async (kid: string, alg = 'ES256') => ({
    ...(await exportJWK((await toPair(kid, alg)).publicKey)),
    kid,
    alg,
    use: 'sig',
  })

  return {
    issuer,
    documents,
    fetched,
    async fetchDocument(url) {
      fetched.push(url)
      const found = documents.get(url)
      if (found === undefined) throw new Error(`${url} does not answer`)
      return found
    },
    async sign(claims, { alg = 'ES256', kid = 'first', ...header } = {}) {
      const { privateKey } = await toPair(kid, alg)
      return new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
    },
    async publish(...kids) {
      documents.set(JWKS_URL, { keys: await Promise.all(kids.map((kid) => toJwk(kid))) })
    },
    toJwk,
  }
}
