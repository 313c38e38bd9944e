import { createHash } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Grant, Principal } from '../principal.ts'
import { findClaim, isMet, readScopes, readSubject, type TokenSubject } from './claims.ts'
import { type IssuerSettings, toAskedScopes } from './issuer-settings.ts'
import type { TokenVerdict } from './token-verdict.ts'
import { uniteGrants } from './unite-grants.ts'

/** What the settings make of the claims of a verified token. */
export function toTokenVerdict(
  claims: JWTPayload,
  issuer: IssuerSettings,
  grants: ReadonlyMap<string, Grant>,
): TokenVerdict {
  const subject = readSubject(claims, issuer.subject)
  if (subject === undefined) return { kind: 'invalid', why: 'nobody-named' }
  const principal = toPrincipal({ claims, issuer, grants, subject })
  const isWhole = issuer.require.every((scope) => principal.scopes.includes(scope))
  return isWhole ? { kind: 'principal', principal } : { kind: 'insufficient', scopes: toAskedScopes(issuer) }
}

interface Verified {
  readonly claims: JWTPayload
  readonly issuer: IssuerSettings
  readonly grants: ReadonlyMap<string, Grant>
  readonly subject: TokenSubject
}

function toPrincipal({ claims, issuer, grants, subject }: Verified): Principal {
  const met = issuer.grants.filter(({ when }) => isMet(when, claims)).map(({ grant }) => grant)
  return {
    id: toPrincipalId(issuer.issuer, subject),
    method: 'jwt',
    grant: uniteGrants([...new Set(met)].flatMap((name) => grants.get(name) ?? [])),
    scopes: readScopes(claims, issuer.scopes),
    issuer: issuer.issuer,
    subject: subject.name,
    ...(issuer.forwardClaims.length > 0 && { claims: pickClaims(claims, issuer.forwardClaims) }),
    // As long as a request with it would be let in.
    expiresAt: claims.exp === undefined ? undefined : (claims.exp + issuer.clockToleranceS) * 1000,
  }
}

/** A client of its own is somebody else than a user who goes by its name: what stands behind the hash tells them apart. */
function toPrincipalId(issuer: string, { kind, name }: TokenSubject): string {
  const hash = createHash('sha256').update(issuer).digest('hex').slice(0, 16)
  return kind === 'user' ? `jwt:${hash}:${name}` : `jwt:${hash}/client:${name}`
}

function pickClaims(claims: JWTPayload, paths: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const value = findClaim(claims, path)
      return value === undefined ? [] : [[path, value]]
    }),
  )
}
