/** Tokens of an issuer that are right in all but what a test changes. */

/** Whom tokens are for, where a test does not care. */
export const AUDIENCE = 'https://mcp.example.com/mcp'

/** This moment, as tokens tell it: seconds since 1970. */
export const toSeconds = (): number => Math.floor(Date.now() / 1000)

/** An element of `auth.issuers` whose tokens may do what the grant `all` names. @param changes of its members */
export function toIssuerRow(
  { issuer, jwks }: { readonly issuer: string; readonly jwks?: string },
  audience: string,
  changes: object = {},
) {
  return { issuer, jwks, audience: [audience], grants: [{ grant: 'all' }], ...changes }
}

/** Claims that are right at this moment, of the user `ada`. */
export function toRightClaims(
  { issuer }: { readonly issuer: string },
  audience: string,
  changes: object = {},
): Record<string, unknown> {
  return { iss: issuer, aud: audience, sub: 'ada', exp: toSeconds() + 300, scope: 'mcp', ...changes }
}

/** Header or claims, as they stand in a token. */
export function toTokenPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
