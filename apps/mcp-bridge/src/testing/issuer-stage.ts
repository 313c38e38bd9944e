import { createIssuers, type Issuers } from '../auth/issuers/index.ts'
import type { IssuerSettings, IssuersInForce } from '../auth/issuers/issuer-settings.ts'
import type { Grant } from '../auth/principal.ts'
import { AUDIENCE } from './issuer-tokens.ts'
import { createJwtIssuer, JWKS_URL, type JwtIssuer } from './jwt-issuer.ts'

export const toNamedGrant = (name: string): Grant => ({
  name,
  tiers: [name],
  scopes: [],
  skills: undefined,
  tools: undefined,
  runs: 'own',
  management: false,
})

export function toIssuersInForce(issuer: string, changes: Partial<IssuerSettings> = {}): IssuersInForce {
  const settings: IssuerSettings = {
    issuer,
    jwks: JWKS_URL,
    audience: [AUDIENCE],
    algorithms: ['RS256', 'ES256'],
    type: 'any',
    clockToleranceS: 30,
    subject: 'sub',
    scopes: ['scope', 'scp'],
    require: [],
    advertisedScopes: undefined,
    grants: [
      { when: { claim: 'groups', has: 'platform' }, grant: 'ops' },
      { when: { claim: 'email_verified', is: true }, grant: 'staff' },
    ],
    forwardClaims: ['email', 'org.unit'],
    ...changes,
  }
  return {
    issuers: [settings],
    grants: new Map([toNamedGrant('ops'), toNamedGrant('staff')].map((one) => [one.name, one])),
  }
}

/** Verification of the tokens of one issuer, at a time that the test sets. */
export interface IssuerStage {
  readonly idp: JwtIssuer
  readonly issuers: Issuers
  readonly troubles: (string | undefined)[]
  settings: IssuersInForce
  /** Milliseconds. */
  now: number
  /** Good claims, some of them changed. */
  claims(changes?: Record<string, unknown>): Record<string, unknown>
}

export async function createIssuerStage(changes?: Partial<IssuerSettings>): Promise<IssuerStage> {
  const idp = createJwtIssuer()
  await idp.publish('first')
  const troubles: (string | undefined)[] = []
  const stage: IssuerStage = {
    idp,
    troubles,
    issuers: createIssuers({
      settings: () => stage.settings,
      onKeys: (_, trouble) => troubles.push(trouble),
      fetchDocument: idp.fetchDocument,
      now: () => stage.now,
    }),
    settings: toIssuersInForce(idp.issuer, changes),
    now: 1_800_000_000_000,
    claims: (some = {}) => ({ iss: idp.issuer, aud: AUDIENCE, sub: 'ada', exp: stage.now / 1000 + 300, ...some }),
  }
  return stage
}
