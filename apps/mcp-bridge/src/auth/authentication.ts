import {
  type Admission,
  BUS_REFUSED,
  findHeaderFlaw,
  hasTokenInQuery,
  readBearer,
  TOKEN_IN_QUERY,
  toNoToken,
} from './admission.ts'
import { asksWho, createEverybody, hasExpired } from './decision.ts'
import { createExpiryWatch, type ExpiryWatch } from './expiry-watch.ts'
import { createIssuers, type IssuersOptions } from './issuers/index.ts'
import type { IssuersInForce } from './issuers/issuer-settings.ts'
import { type PrincipalLimits, UNLIMITED } from './limits.ts'
import { createPolicy, type Policy } from './policy.ts'
import type { Principal } from './principal.ts'
import { createRate } from './rate.ts'
import type { AuthSettings } from './settings/auth-block.ts'
import { createTokenAdmission } from './token-admission.ts'

/** Who is let in, by what the configuration file says at the moment. */
export interface Authentication extends ExpiryWatch {
  /** Whoever asks, where nobody is asked who they are. */
  readonly everybody: Principal
  /** Of a request over HTTP, by its head alone. */
  admit(head: RequestHead): Admission | Promise<Admission>
  /** Of the client that started this process. */
  admitAttached(): Admission
  /** Of a worker that sends a bare message. */
  admitBus(): Admission
  limitsOf(principal: Principal): PrincipalLimits
  /** Counts a request. @returns how many seconds to wait; undefined where it is within the limit */
  countRequest(principal: Principal): number | undefined
}

/** What of a request says who sends it. */
export interface RequestHead {
  /** The header, as it came; undefined where there is none. */
  readonly authorization: string | undefined
  /** The names in the query of the address. */
  readonly queryNames: readonly string[]
}

export interface AuthenticationOptions {
  readonly settings: () => AuthSettings | undefined
  /** The token that the client which started this process has put into its environment. */
  readonly attachedToken?: string | undefined
  /** @default Date.now */
  readonly now?: (() => number) | undefined
  /** Told when the keys of an issuer cannot be read, and with undefined when they can be again. */
  readonly onKeys?: IssuersOptions['onKeys'] | undefined
  readonly fetchDocument?: IssuersOptions['fetchDocument'] | undefined
}

const NO_ISSUERS: IssuersInForce = { issuers: [], grants: new Map() }

export function createAuthentication({
  settings,
  attachedToken,
  now = Date.now,
  onKeys = () => undefined,
  fetchDocument,
}: AuthenticationOptions): Authentication {
  const requests = createRate()
  const everybody = createEverybody(settings)
  const open: Admission = { kind: 'principal', principal: everybody }
  let policy: Policy | undefined

  /** @returns undefined where nobody is asked */
  function read(): Policy | undefined {
    const found = settings()
    if (!asksWho(found)) return undefined
    if (policy?.settings !== found) policy = createPolicy(found, standing)
    return policy
  }

  /** What somebody who was let in may now. */
  function standing(find: (policy: Policy) => Principal | undefined): Principal | undefined {
    const found = read()
    if (found === undefined) return everybody
    const principal = find(found)
    return principal === undefined || hasExpired(principal, now()) ? undefined : principal
  }

  const issuers = createIssuers({
    ...{ onKeys, now, ...(fetchDocument && { fetchDocument }) },
    settings: () => read()?.issuersInForce ?? NO_ISSUERS,
  })
  const tokens = createTokenAdmission({ issuers, now })

  function admit({ authorization, queryNames }: RequestHead, found: Policy): Admission | Promise<Admission> {
    if (hasTokenInQuery(queryNames)) return TOKEN_IN_QUERY
    const { anonymous } = found
    if (authorization === undefined) {
      return anonymous === undefined ? toNoToken(found.challenge) : { kind: 'principal', principal: anonymous }
    }
    const token = readBearer(authorization)
    return token === undefined ? tokens.refuse(findHeaderFlaw(authorization), found) : tokens.admit(token, found)
  }

  return {
    ...createExpiryWatch(now),
    everybody,
    admit(head) {
      const found = read()
      return found === undefined ? open : admit(head, found)
    },
    admitAttached() {
      const found = read()
      if (found === undefined) return open
      return attachedToken === undefined
        ? { kind: 'principal', principal: found.attached }
        : tokens.admitOwn(attachedToken, found)
    },
    admitBus() {
      const found = read()
      if (found === undefined) return open
      return found.bus === undefined ? BUS_REFUSED : { kind: 'principal', principal: found.bus }
    },
    limitsOf: (principal) => read()?.limitsOf(principal) ?? UNLIMITED,
    countRequest(principal) {
      const allowed = read()?.limitsOf(principal).requests
      return allowed && requests.take(principal.id, allowed)
    },
  }
}
