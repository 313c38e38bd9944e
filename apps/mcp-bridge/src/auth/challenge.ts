import { toMetadataUrl } from './metadata.ts'

/** What a client has to know to get a token. */
export interface ChallengeFacts {
  /** The public address of the endpoint; undefined where no issuer is set, so that there is nothing to discover. */
  readonly resource: string | undefined
  /** What to ask for at least. */
  readonly scopes: readonly string[]
}

export type ChallengeError = 'invalid_token' | 'insufficient_scope'

/** One text for all flaws of a token: which it was is nothing for whoever sent it. */
const DESCRIPTIONS: Readonly<Record<ChallengeError, string>> = {
  invalid_token: 'The token is not valid',
  insufficient_scope: 'The token lacks a scope that this server requires',
}

/**
 * The `WWW-Authenticate` header of a refusal (RFC 6750, 3; RFC 9728, 5.1).
 *
 * @param error undefined where no token came, of which nothing is to be said
 *
 * @example
 * formatChallenge({ resource: 'https://mcp.example.com/mcp', scopes: ['mcp'] })
 * // Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="mcp"
 */
export function formatChallenge({ resource, scopes }: ChallengeFacts, error?: ChallengeError): string {
  const parameters = [
    ...(resource === undefined ? ['realm="mcp"'] : []),
    ...(error === undefined ? [] : [`error="${error}"`, `error_description="${DESCRIPTIONS[error]}"`]),
    ...(resource === undefined ? [] : [`resource_metadata="${toMetadataUrl(resource)}"`]),
    ...(scopes.length === 0 || resource === undefined ? [] : [`scope="${scopes.join(' ')}"`]),
  ]
  return `Bearer ${parameters.join(', ')}`
}
