import { z } from 'zod'
import { type ClaimCondition, type IssuerSettings, JWT_ALGORITHMS } from '../issuers/issuer-settings.ts'
import { ClaimPath, Name, ScopeWord, toWebAddress } from './words.ts'

const RequiredScope = ScopeWord.refine((scope) => scope !== 'offline_access', {
  error: 'must not be offline_access, which is between a client and its issuer',
})

const ClaimText = z.union([z.string(), z.number(), z.boolean()])

const Condition = z
  .strictObject({
    claim: ClaimPath,
    /** The claim is a list, or words, that has this. */
    has: ClaimText.optional(),
    /** The claim is this. */
    is: ClaimText.optional(),
  })
  .refine(({ has, is }) => (has === undefined) !== (is === undefined), {
    error: 'needs either has (the claim is a list that has it) or is (the claim is equal to it)',
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
        .refine((text) => text.trim() === text, { error: 'must not begin or end with a space' })
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
  /** What those may that fit: all grants that fit, together. Without `when`, every token of the issuer fits. */
  grants: z.array(z.strictObject({ when: Condition.optional(), grant: Name })).default([]),
  /** Claims that functions are told with each call, in `mcp.principal`. */
  forward_claims: z.array(ClaimPath).default([]),
})

/** The same in the words of the code. */
export function toIssuerSettings(block: z.output<typeof IssuerBlock>): IssuerSettings {
  const { clock_tolerance_s: clockToleranceS, advertised_scopes: advertisedScopes, jwks, grants, ...others } = block
  const { forward_claims: forwardClaims, ...rest } = others
  return {
    ...rest,
    ...{ jwks, clockToleranceS, advertisedScopes, forwardClaims },
    grants: grants.map(({ when, grant }) => ({ when: when && toCondition(when), grant })),
  }
}

function toCondition({ claim, has, is }: z.output<typeof Condition>): ClaimCondition {
  // One of the two is there: `Condition` sees to it.
  return has === undefined ? { claim, is: is ?? '' } : { claim, has }
}
