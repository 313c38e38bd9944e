import { isRecord } from '@iii/protocol'
import { type CryptoKey, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { IssuerKeys } from './issuer-keys.ts'
import type { IssuerSettings } from './issuer-settings.ts'

export interface JwtVerification {
  readonly issuer: IssuerSettings
  readonly keys: IssuerKeys
  readonly now: () => number
}

/** An issuer without names for its keys has a few of them at most. */
const MAX_TRIES = 8

/** A token whose signature, issuer, audience and times are right. */
export interface VerifiedJwt {
  readonly claims: JWTPayload
  readonly algorithm: string
  /** What its header says that it is. */
  readonly type: string | undefined
}

/**
 * Verifies a token by RFC 7519 and RFC 8725: signature, issuer, audience, times.
 *
 * @throws errors of jose, and KeysUnavailable
 */
export async function verifyJwt(token: string, { issuer, keys, now }: JwtVerification): Promise<VerifiedJwt> {
  const options: JWTVerifyOptions = {
    issuer: issuer.issuer,
    audience: [...issuer.audience],
    algorithms: [...issuer.algorithms],
    clockTolerance: issuer.clockToleranceS,
    currentDate: new Date(now()),
    requiredClaims: ['exp'],
    ...(issuer.type === 'at+jwt' && { typ: issuer.type }),
  }
  const { payload, protectedHeader } = await verifyWith(keys, token, options).catch(async (error: unknown) => {
    if (isUnsigned(error) && (await keys.lookAgain())) return await verifyWith(keys, token, options)
    throw error
  })
  if (isForOtherUse(payload)) throw new errors.JWTClaimValidationFailed('it is no access token', payload, 'typ')
  return { claims: payload, algorithm: protectedHeader.alg, type: protectedHeader.typ }
}

/** Whether it would be verified with other settings as well, of the same issuer. */
export function stillHolds({ claims, algorithm, type }: VerifiedJwt, issuer: IssuerSettings): boolean {
  const audience = [claims.aud ?? []].flat()
  return (
    (issuer.algorithms as readonly string[]).includes(algorithm) &&
    issuer.audience.some((one) => audience.includes(one)) &&
    (issuer.type === 'any' || type?.toLowerCase().replace(/^application\//, '') === issuer.type)
  )
}

function verifyWith(keys: Pick<IssuerKeys, 'find'>, token: string, options: JWTVerifyOptions) {
  return jwtVerify(token, keys.find, options).catch((error: unknown) => {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(token, error, options)
    throw error
  })
}

function isUnsigned(error: unknown): boolean {
  return error instanceof errors.JWSSignatureVerificationFailed
}

async function verifyWithAny(token: string, keys: AsyncIterable<CryptoKey>, options: JWTVerifyOptions) {
  let tries = 0
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, options)
    } catch (error) {
      if (!isUnsigned(error)) throw error
    }
    if (++tries === MAX_TRIES) break
  }
  throw new errors.JWSSignatureVerificationFailed()
}

/** What only ID tokens have (OpenID Connect Core, 3.1.3.6 and 3.3.2.11), or tokens that tell of a logout (RFC 8417), and how Keycloak names its other kinds. */
function isForOtherUse(payload: JWTPayload): boolean {
  if ('at_hash' in payload || 'c_hash' in payload || isRecord(payload['events'])) return true
  return typeof payload['typ'] === 'string' && /^(?:id|refresh|offline|logout)$/i.test(payload['typ'])
}
