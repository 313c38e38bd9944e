/** Tokens of identity providers. */
export const issuerRequirements = {
  'issuers/fixture': {
    promise: 'the authorization server of these scenarios is one by the official suite',
    source: 'MCP',
  },
} as const
