import { createHash } from 'node:crypto'
import { hasExpired } from '../decision.ts'
import type { Principal } from '../principal.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import type { IssuerSettings, IssuersInForce } from './issuer-settings.ts'
import { toTokenVerdict } from './jwt-principal.ts'
import type { TokenVerdict } from './token-verdict.ts'
import { stillHolds, type VerifiedJwt } from './verify-jwt.ts'

/** Tokens that were verified lately: what they say does not change, what the settings make of it may. */
export interface VerifiedTokens {
  /** Remembers one, and says what becomes of it. */
  add(token: string, verified: VerifiedJwt, by: VerifiedBy): TokenVerdict
  /** @returns undefined for one that is not known, or has to be verified again */
  recall(token: string): Principal | undefined
  /** Whether it would be recalled if its keys were fresh. */
  has(token: string): boolean
}

/** @property edition of the keys, as it was before the token was verified */
export interface VerifiedBy {
  readonly issuer: IssuerSettings
  readonly edition: number | undefined
}

interface Entry {
  readonly verified: VerifiedJwt
  readonly issuer: string
  readonly edition: number | undefined
  /** What was made of it, and with which settings. */
  judged: { readonly settings: IssuersInForce; readonly verdict: TokenVerdict } | undefined
}

export interface VerifiedTokensOptions {
  readonly settings: () => IssuersInForce
  readonly keysOf: (issuer: IssuerSettings) => Pick<IssuerKeys, 'edition'>
  readonly now: () => number
}

const MAX_KNOWN = 2_048

export function createVerifiedTokens({ settings, keysOf, now }: VerifiedTokensOptions): VerifiedTokens {
  /** By their digests: nothing here holds a token. */
  const known = new Map<string, Entry>()
  const findIssuer = (name: string) => settings().issuers.find(({ issuer }) => issuer === name)

  function judge(entry: Entry): TokenVerdict {
    const current = settings()
    if (entry.judged?.settings === current) return entry.judged.verdict
    const verdict = judgeNow(entry, current)
    entry.judged = { settings: current, verdict }
    return verdict
  }

  function judgeNow(entry: Entry, { grants }: IssuersInForce): TokenVerdict {
    const issuer = findIssuer(entry.issuer)
    if (issuer === undefined) return { kind: 'invalid', why: 'unknown-issuer' }
    if (!stillHolds(entry.verified, issuer)) return { kind: 'invalid', why: 'claims' }
    const verdict = toTokenVerdict(entry.verified.claims, issuer, grants)
    if (verdict.kind !== 'principal') return verdict
    const { principal } = verdict
    return { kind: 'principal', principal: { ...principal, asOfNow: () => toStanding(entry, principal.id) } }
  }

  function toStanding(entry: Entry, id: string): Principal | undefined {
    const principal = find(entry)
    return principal?.id === id ? principal : undefined
  }

  function find(entry: Entry | undefined): Principal | undefined {
    const verdict = entry && judge(entry)
    return verdict?.kind === 'principal' && !hasExpired(verdict.principal, now()) ? verdict.principal : undefined
  }

  return {
    add(token, verified, { issuer, edition }) {
      const digest = toDigest(token)
      // The same token is the same principal, also where it had to be verified again.
      const entry: Entry = { verified, issuer: issuer.issuer, edition, judged: known.get(digest)?.judged }
      known.delete(digest)
      known.set(digest, entry)
      const [oldest] = known.keys()
      if (oldest !== undefined && known.size > MAX_KNOWN) known.delete(oldest)
      return judge(entry)
    },
    recall(token) {
      const entry = known.get(toDigest(token))
      const issuer = entry && findIssuer(entry.issuer)
      if (issuer === undefined || entry?.edition === undefined || keysOf(issuer).edition() !== entry.edition)
        return undefined
      return find(entry)
    },
    has: (token) => find(known.get(toDigest(token))) !== undefined,
  }
}

function toDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
