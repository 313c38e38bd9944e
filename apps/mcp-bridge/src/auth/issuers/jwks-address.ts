import { isRecord } from '@iii/protocol'
import { type FetchDocument, isTrustworthy } from './fetch-document.ts'

/**
 * Where the metadata of an issuer can be: as OpenID Connect Discovery says, then as RFC 8414 says, then both together, which some
 * servers do whose issuer has a path.
 */
export function toMetadataAddresses(issuer: string): readonly string[] {
  if (!URL.canParse(issuer)) return []
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    ...new Set([
      `${origin}${path}/.well-known/openid-configuration`,
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
    ]),
  ]
}

/** Asks an issuer where its keys are. @throws Error whose message says why it does not tell */
export async function findJwksAddress(issuer: string, fetchDocument: FetchDocument): Promise<string> {
  const reasons: string[] = []
  for (const url of toMetadataAddresses(issuer)) {
    try {
      return readJwksAddress(url, await fetchDocument(url), issuer)
    } catch (error) {
      reasons.push((error as Error).message)
    }
  }
  throw new Error(reasons.join('; ') || `${issuer} is no address`)
}

/** @throws Error for metadata of somebody else, or without usable keys */
function readJwksAddress(url: string, metadata: unknown, issuer: string): string {
  const { issuer: named, jwks_uri: address } = isRecord(metadata) ? metadata : {}
  if (named !== issuer) throw new Error(`${url} names another issuer, ${quote(named)}, and not "${issuer}"`)
  if (typeof address !== 'string') throw new Error(`${url} has no jwks_uri`)
  if (!isTrustworthy(address)) throw new Error(`the jwks_uri in ${url} is neither https nor on this machine`)
  // What listens on this machine without TLS is not for others to have asked.
  if (isPlain(address) && !isPlain(issuer)) throw new Error(`the jwks_uri in ${url} is not https, as the issuer is`)
  return address
}

const isPlain = (url: string) => new URL(url).protocol === 'http:'

const MAX_QUOTED = 200

/** Whatever somebody answers goes into the log. */
function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none'
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED).toWellFormed()}…`
}
