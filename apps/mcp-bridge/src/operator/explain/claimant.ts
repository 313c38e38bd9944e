import { isRecord } from '@iii/protocol'
import { parseJsonText, readRegularFile } from '@iii/sdk'
import { CommandFailure, EXIT, toReason } from '@iii/sdk/cli'
import { toTokenVerdict } from '../../auth/issuers/jwt-principal.ts'
import type { Policy } from '../../auth/policy.ts'
import type { Principal } from '../../auth/principal.ts'

/** The claims of a token, as somebody has written them into a file. @throws CommandFailure for a file that holds none */
export function readClaims(path: string): Readonly<Record<string, unknown>> {
  const claims = parseJsonText(readText(path))
  if (!isRecord(claims)) throw new CommandFailure(EXIT.failed, `${path} is no JSON object; ${RIGHT}`)
  return claims
}

function readText(path: string): string {
  try {
    const content = readRegularFile(path, { maxBytes: MAX_BYTES })
    if (content.problem === undefined) return content.bytes.toString('utf8')
    throw new CommandFailure(EXIT.usage, `${path} ${content.problem}; ${RIGHT}`)
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new CommandFailure(isMissing ? EXIT.missing : EXIT.usage, `${toReason(error)}; ${RIGHT}`)
  }
}

/** Far more than a token may have. */
const MAX_BYTES = 64 * 1024
const RIGHT = 'it has to hold the claims of a token, for example {"iss": "https://login.example.com", "sub": "ada"}'

/**
 * Whoever logs in with a token of these claims, if the rest of it is right: signature, audience and times are not looked at.
 *
 * @throws CommandFailure for somebody who would not be let in
 */
export function toClaimant(claims: Readonly<Record<string, unknown>>, { issuersInForce }: Policy): Principal {
  const { issuers, grants } = issuersInForce
  const { exp: _, ...lasting } = claims
  const issuer = issuers.find((one) => one.issuer === claims['iss'])
  if (issuer === undefined) {
    const known = issuers.map((one) => one.issuer).join(', ') || 'none'
    throw new CommandFailure(EXIT.missing, `auth has no issuer ${String(claims['iss'])}; there are: ${known}`)
  }
  const verdict = toTokenVerdict(lasting, issuer, grants)
  if (verdict.kind === 'principal') return verdict.principal
  if (verdict.kind === 'insufficient') {
    throw new CommandFailure(EXIT.failed, `hears 403: the token needs all of the scopes ${issuer.require.join(', ')}`)
  }
  throw new CommandFailure(EXIT.failed, `hears 401: no claim says whom the token is about; ${issuer.subject} should`)
}
