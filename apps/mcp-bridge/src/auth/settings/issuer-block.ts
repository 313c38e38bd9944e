import { z } from 'zod'
import { type IssuerSettings, JWT_ALGORITHMS } from '../issuers/issuer-settings.ts'
import { EVERYTHING } from '../principal.ts'
import { ClaimPath, ScopeWord, toWebAddress } from './words.ts'

const RequiredScope = ScopeWord.refine((scope) => scope !== 'offline_access', {
  error: 'must not be offline_access, which is between a client and its issuer',
})

/** Whose tokens are taken, as an element of `auth.issuers` says it. */
export const IssuerBlock = z.strictObject({
  /** Compared whole with the claim `iss`. */
  issuer: toWebAddress('https://login.example.com/realms/acme'),
  /** Where its keys are; undefined: where its metadata says. */
  jwks: toWebAddress('https://login.example.com/realms/acme/certs').optional(),
  /** A token has to be for one of them. */
  audience: z
    .array(
      z
        .string()
        .min(1)
        .refine((text) => !text.includes('*'), { error: 'must be one audience, whole: there are no wildcards' }),
    )
    .min(1),
  algorithms: z.array(z.enum(JWT_ALGORITHMS)).min(1).default(['RS256', 'ES256']),
  /** What the header `typ` has to be. */
  type: z.enum(['any', 'at+jwt']).default('any'),
  clock_tolerance_s: z.int().min(0).max(120).default(30),
  /** The claim that says who it is; without it `client_id`, then `azp`. */
  subject: ClaimPath.default('sub'),
  /** Where its scopes are: the first claim that is there, as words or as a list. */
  scopes: z.array(ClaimPath).min(1).default(['scope', 'scp', 'permissions']),
  /** Scopes without which nothing is served. */
  require: z.array(RequiredScope).default([]),
  /** What clients are told to ask for, where requests call scopes something else than tokens; undefined: `require`. */
  advertised_scopes: z.array(RequiredScope).optional(),
})

/** The same in the words of the code. */
export function toIssuerSettings(block: z.output<typeof IssuerBlock>): IssuerSettings {
  const { clock_tolerance_s: clockToleranceS, advertised_scopes: advertisedScopes, jwks, ...rest } = block
  return { ...rest, jwks, clockToleranceS, advertisedScopes, grants: [ALL_CLIENTS_SEE], forwardClaims: [] }
}

const ALL_CLIENTS_SEE = { when: undefined, grant: EVERYTHING.name }
