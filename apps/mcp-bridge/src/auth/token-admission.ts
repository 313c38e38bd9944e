import {
  type Admission,
  type AuthRefusal,
  BAD_OWN_TOKEN,
  type RefusalReason,
  toBadToken,
  toTooManyFailures,
  toTooNarrow,
  toUndecided,
} from './admission.ts'
import { hasExpired } from './decision.ts'
import type { Issuers } from './issuers/index.ts'
import type { Policy } from './policy.ts'
import type { Principal } from './principal.ts'
import { createRate } from './rate.ts'

/** Whose a token is, and what becomes of those who guess. */
export interface TokenAdmission {
  /** Of a token of the file or of an issuer. The latter may have to be verified first. */
  admit(token: string, policy: Policy): Admission | Promise<Admission>
  /** Of a token of the file, which the client that started this process has put into its environment. */
  admitOwn(token: string, policy: Policy): Admission
  /** Refuses a token that is none, and counts it. */
  refuse(reason: RefusalReason, policy: Policy): AuthRefusal
}

export interface TokenAdmissionOptions {
  readonly issuers: Issuers
  readonly now: () => number
}

const FAILURES = { perSecond: 100, burst: 100 }
const JWT = /^[^.]+\.[^.]+\.[^.]+$/

export function createTokenAdmission({ issuers, now }: TokenAdmissionOptions): TokenAdmission {
  const failures = createRate()

  /** Whoever guesses all day hears something else after a while; a token that is right is let in all the same. */
  function count(refusal: AuthRefusal): AuthRefusal {
    const seconds = failures.take('all', FAILURES)
    return seconds === undefined ? refusal : toTooManyFailures(seconds)
  }

  const refuse = (reason: RefusalReason, { challenge }: Policy) => count(toBadToken(reason, challenge))

  function judgeOwn(principal: Principal | undefined, policy: Policy): Admission {
    if (principal === undefined) return refuse('unknown-token', policy)
    return hasExpired(principal, now()) ? refuse('expired', policy) : { kind: 'principal', principal }
  }

  async function verify(token: string, policy: Policy): Promise<Admission> {
    const verdict = await issuers.verify(token)
    if (verdict.kind === 'invalid') return refuse(verdict.why, policy)
    if (verdict.kind === 'unavailable') return toUndecided(verdict.retryAfterSeconds)
    // It belongs to nobody whose requests are counted, and costs cryptography each time.
    if (verdict.kind === 'insufficient') return count(toTooNarrow({ ...policy.challenge, scopes: verdict.scopes }))
    return verdict
  }

  return {
    admitOwn(token, policy) {
      const admission = judgeOwn(policy.tokens.find(token), policy)
      return admission.kind === 'refused' && admission.status === 401
        ? { ...admission, text: BAD_OWN_TOKEN }
        : admission
    },
    refuse,
    admit(token, policy) {
      // One of the file may look like one of an issuer: what has made it is not known.
      const own = policy.tokens.find(token)
      if (own !== undefined || policy.issuersInForce.issuers.length === 0 || !JWT.test(token)) {
        return judgeOwn(own, policy)
      }
      const principal = issuers.recall(token)
      if (principal !== undefined) return { kind: 'principal', principal }
      // Forged tokens cost cryptography: in a flood of them only those are verified that were right before, when their keys are read again.
      const seconds = issuers.knows(token) ? undefined : failures.peek('all', FAILURES)
      return seconds === undefined ? verify(token, policy) : toTooManyFailures(seconds)
    },
  }
}
